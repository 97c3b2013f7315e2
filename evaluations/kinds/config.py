"""The typed configuration of an evaluator kind, and the errors of one that is not valid."""

from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluations import validation


class Cut(NamedTuple):
    """The length to which texts are cut before comparing, in code points or UTF-16 units."""

    length: int
    utf16: bool = False

    @property
    def surely(self) -> int:
        """The number of characters up to which no text is cut (a character has at most two units)."""
        return self.length // 2 if self.utf16 else self.length


class Config(BaseModel):
    """Base of every kind's config: immutable, without unknown keys; true is not 1; no NaN or infinity."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @property
    def cut(self) -> Cut | None:
        """Where texts are cut. None: nothing is cut, and a text over 100 000 characters is an error."""
        return None

    @property
    def pass_mark(self) -> float | None:
        """The value at which the verdict changes; None without a pass rule."""
        return getattr(self, "threshold", None)

    @property
    def pass_comparison(self) -> Literal[">", ">="] | None:
        """How a value compares with `pass_mark` where the config may choose."""
        return None

    def warnings(self) -> list[str]:
        """Warnings about valid but probably unintended settings."""
        return []


class EmbeddingConfig(Config):
    """Base of the configs of kinds that compare embeddings."""

    connection: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(
            title="Connection",
            description="The server that embeds the texts; empty for the project's default.",
        ),
    ] = None
    model: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            title="Model",
            description="Embedding model, by the name its server knows.",
        ),
    ] = "text-embedding-3-small"
    dimensions: Annotated[
        Annotated[int, Field(ge=1, le=100_000)] | None,
        Field(title="Dimensions", description="Length of the vectors; empty for the model's own."),
    ] = None


class ConfigError(ValueError):
    """An invalid config; `problems` pairs the JSON pointer of a field with a sentence."""

    def __init__(self, problems: list[tuple[str, str]]):
        super().__init__("; ".join(f"{pointer or '/'}: {message}" for pointer, message in problems))
        self.problems = problems

    @classmethod
    def from_pydantic(cls, error: ValidationError) -> "ConfigError":
        """The faults that pydantic found, as JSON pointers with plain sentences."""
        return cls([(_pointer(problem["loc"]), validation.sentence(problem)) for problem in error.errors()])


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)
