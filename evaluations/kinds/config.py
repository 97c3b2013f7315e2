"""Typed configs of evaluator kinds, and the errors of invalid ones."""

from typing import Annotated, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluations import validation
from evaluations.metrics import meaning
from evaluations.values import LONGEST_NAME


class Cut(NamedTuple):
    """The length to which texts are cut before the comparison, in code points or UTF-16 units."""

    length: int
    utf16: bool = False

    @property
    def surely(self) -> int:
        """The number of code points up to which no text is cut (a code point has at most two units)."""
        return self.length // 2 if self.utf16 else self.length


CaseSensitive: TypeAlias = Annotated[
    bool, Field(title="Case-sensitive", description="Off: both texts are converted to lower case first.")
]
IgnoreCase: TypeAlias = Annotated[
    bool, Field(title="Ignore case", description="Both texts are converted to lower case first.")
]
Threshold: TypeAlias = Annotated[
    Annotated[float, Field(ge=0, le=1)] | None,
    Field(title="Pass threshold", description="Smallest score that passes; empty for no pass or fail."),
]


class Config(BaseModel):
    """Base of all configs: immutable, unknown keys refused, true is not 1, no NaN or infinity."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @property
    def is_pass_fail(self) -> bool:
        """Whether each score is pass or fail, so that means are shares; that of several raters can lie between."""
        return False

    @property
    def counts_parts(self) -> str:
        """What each score is a share of, such as "fields right"; "" for any other score."""
        return ""

    @property
    def words_told(self) -> str:
        """What words count as a score, such as "ok 1, partly 0.5 and ko 0"; "" for numbers, or for only 1 and 0."""
        return ""

    @property
    def can_be_whole(self) -> bool:
        """Whether a score of 1 says that all parts of an answer are right, and others are shares of them."""
        return False

    @property
    def cut(self) -> Cut | None:
        """Where texts are cut. None: they are not, and a text over 100 000 characters is an error."""
        return None

    @property
    def pass_mark(self) -> float | None:
        """The value at which the verdict changes; None if there is no verdict."""
        return getattr(self, "threshold", None)

    @property
    def pass_comparison(self) -> Literal[">", ">="] | None:
        """The comparison of a value with `pass_mark`, if the config can choose it."""
        return None

    @property
    def headline_statistic(self) -> str:
        """The name of the run statistic by which runs are compared, or "mean"."""
        return getattr(self, "headline", "mean")

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
            max_length=LONGEST_NAME,
            title="Model",
            description=f"Name of the embedding model on the server; {meaning.MODEL} is built in and needs none.",
        ),
    ] = "text-embedding-3-small"
    dimensions: Annotated[
        Annotated[int, Field(ge=1, le=100_000)] | None,
        Field(title="Dimensions", description="Length of the vectors; empty for the model's default."),
    ] = None

    @property
    def is_built_in(self) -> bool:
        """Whether the model is the one that comes with the program, so that no server is called."""
        return self.model == meaning.MODEL


class ConfigError(ValueError):
    """An invalid config; `problems` are pairs of a field's JSON pointer and a sentence."""

    def __init__(self, problems: list[tuple[str, str]]):
        super().__init__("; ".join(f"{pointer or '/'}: {message}" for pointer, message in problems))
        self.problems = problems

    @classmethod
    def from_pydantic(cls, error: ValidationError) -> "ConfigError":
        """pydantic's errors as JSON pointers with sentences in plain words."""
        return cls([(_pointer(problem["loc"]), validation.sentence(problem)) for problem in error.errors()])


def _pointer(location: tuple[int | str, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in location)
