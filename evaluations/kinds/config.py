"""The typed configuration of an evaluator kind, and what is wrong with one that does not fit."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError


class Cut(NamedTuple):
    """Where texts are cut before they are compared: a length in code points or in UTF-16 units."""

    length: int
    utf16: bool = False

    @property
    def surely(self) -> int:
        """Up to so many characters no text is cut; none has more than two units a character."""
        return self.length // 2 if self.utf16 else self.length


class Config(BaseModel):
    """Base of every kind's configuration: immutable, no unknown keys, true is not 1, NaN and infinity are
    refused.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @property
    def cut(self) -> Cut | None:
        """Where texts are cut; None where they are not, and a text over 100 000 characters is an error."""
        return None

    @property
    def pass_mark(self) -> float | None:
        """The value on which passing turns, drawn on a histogram; None without a pass rule."""
        return getattr(self, "threshold", None)

    def warnings(self) -> list[str]:
        """Sentences about a configuration that is allowed but hardly meant."""
        return []


class ConfigError(ValueError):
    """A configuration that a kind refuses; `problems` pairs the JSON pointer of a field with a sentence."""

    def __init__(self, problems: list[tuple[str, str]]):
        super().__init__("; ".join(f"{pointer or '/'}: {message}" for pointer, message in problems))
        self.problems = problems

    @classmethod
    def of(cls, error: ValidationError) -> "ConfigError":
        """The same problems as pydantic found, with JSON pointers in place of its locations."""
        return cls([(_pointer(problem["loc"]), _sentence(problem)) for problem in error.errors()])


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)


def _sentence(problem) -> str:
    if problem["type"] == "extra_forbidden":
        return "There is no such setting."
    return problem["msg"].removeprefix("Value error, ")
