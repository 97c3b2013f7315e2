"""The kind `exact_match`: equal texts, in a form in which chosen differences of writing do not count."""

from collections.abc import Iterable
from functools import partial
from operator import eq
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import texts
from evaluations.values import Status


class ExactMatchConfig(Config):
    case_sensitive: CaseSensitive = True
    strip: Annotated[
        Literal["both", "expected", "none"],
        Field(
            title="Strip whitespace",
            description="At both ends of both texts, of the expected text only, or of neither.",
        ),
    ] = "both"
    unicode: Annotated[
        Literal["NFC", "NFKC"] | None,
        Field(
            title="Unicode form",
            description="NFC: é as one sign or as e with an accent is the same; NFKC: also ﬁ and fi, ² and 2. Empty: "
            "as it is.",
        ),
    ] = None
    casefold: Annotated[
        bool,
        Field(
            title="Fold case fully",
            description="If case does not count: ß is ss, and all forms of a letter are one.",
        ),
    ] = False
    whitespace: Annotated[
        Literal["collapse", "remove"] | None,
        Field(
            title="Blanks inside",
            description="Collapse: any number of blanks and line breaks is one blank; remove: none counts. Empty: as "
            "they are.",
        ),
    ] = None
    punctuation: Annotated[
        Literal["remove"] | None,
        Field(
            title="Punctuation",
            description="Remove: signs that Unicode calls punctuation do not count. Empty: as it is.",
        ),
    ] = None
    threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Pass threshold",
            description="Scores are 1 or 0; with a threshold in between, equal texts pass.",
        ),
    ] = 0.5

    @model_validator(mode="after")
    def _ignores_case(self) -> "ExactMatchConfig":
        if self.casefold and self.case_sensitive:
            raise ValueError("To fold case, switch “Case-sensitive” off.")
        return self

    @property
    def has_form(self) -> bool:
        """Whether texts are brought into another form than lower case."""
        return bool(self.unicode or self.casefold or self.whitespace or self.punctuation)

    def warnings(self) -> list[str]:
        return ["With a threshold of 0 every output passes."] if self.threshold == 0 else []


def score(config: ExactMatchConfig, pairs: Pairs) -> Scores:
    """1.0 if both texts are equal in the chosen form, else 0.0."""
    sides: tuple[Iterable[str], Iterable[str]] = pairs.cased(config.case_sensitive or config.casefold)
    if config.has_form:
        sides = (map(partial(_formed, config), sides[0]), map(partial(_formed, config), sides[1]))
    equal = texts.verdicts(map(eq, *_stripped(config, *sides)))
    return Scores.scored(equal, equal >= config.threshold)


def _formed(config: ExactMatchConfig, text: str) -> str:
    return texts.in_form(
        text,
        unicode=config.unicode,
        casefold=config.casefold,
        whitespace=config.whitespace,
        without_punctuation=config.punctuation is not None,
    )


def _stripped(
    config: ExactMatchConfig, actual: Iterable[str], expected: Iterable[str]
) -> tuple[Iterable[str], Iterable[str]]:
    if config.strip != "none":
        expected = map(str.strip, expected)
    if config.strip == "both":
        actual = map(str.strip, actual)
    return actual, expected


def missing(config: ExactMatchConfig, status: Status) -> tuple[float, int]:
    """A null side scores 0.0, which is compared with the threshold like any other value."""
    return 0.0, int(config.threshold <= 0.0)


def detail(config: ExactMatchConfig, actual: str, expected: str) -> dict[str, Any]:
    is_kept = config.case_sensitive or config.casefold
    sides = [[_formed(config, text if is_kept else text.lower())] for text in (actual, expected)]
    [actual], [expected] = _stripped(config, *sides)
    value = float(actual == expected)
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected)}
    blocks |= explain.first_difference(actual, expected) | explain.difference(actual, expected)
    verdict = "Equal texts" if value else "Different texts"
    return blocks | {"formula": f"{verdict}: {value:g}{explain.against(value, config.threshold)}"}


exact_match = Kind(
    key="exact_match",
    title="Exact match",
    family=Family.SAME_TEXT,
    summary="Exactly the same text",
    description="Whether the output equals the expected text exactly; whitespace at the ends is ignored. For "
    "codes, labels, identifiers and other output that has one right form.",
    source="axion, Exact String Match: 1.0 if both texts are identical after stripping "
    "whitespace, else 0.0; threshold 0.5.",
    version=1,
    Config=ExactMatchConfig,
    score=score,
    detail=detail,
    missing=missing,
    binary=True,
)
