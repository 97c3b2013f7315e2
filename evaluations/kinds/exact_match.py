"""The kind `exact_match`: equal texts."""

from collections.abc import Iterable
from operator import eq
from typing import Annotated, Any, Literal

from pydantic import Field

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
    threshold: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            title="Pass threshold",
            description="Scores are 1 or 0; with a threshold in between, equal texts pass.",
        ),
    ] = 0.5

    def warnings(self) -> list[str]:
        return ["With a threshold of 0 every output passes."] if self.threshold == 0 else []


def score(config: ExactMatchConfig, pairs: Pairs) -> Scores:
    """1.0 if both texts are equal after stripping, else 0.0."""
    sides = _stripped(config, *pairs.cased(config.case_sensitive))
    equal = texts.verdicts(map(eq, *sides))
    return Scores.scored(equal, equal >= config.threshold)


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
    sides = [[text if config.case_sensitive else text.lower()] for text in (actual, expected)]
    [actual], [expected] = _stripped(config, *sides)
    value = float(actual == expected)
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected)}
    blocks |= explain.first_difference(actual, expected) | explain.difference(actual, expected)
    verdict = "Equal" if value else "Different"
    return blocks | {"formula": f"{verdict}: {value:.1f}{explain.against(value, config.threshold)}"}


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
