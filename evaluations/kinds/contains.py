"""A phrase, or several, that must appear."""

from collections.abc import Iterable, Sequence
from operator import contains as contained
from typing import Annotated, Any, Literal

from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import texts
from evaluations.values import Status


class ContainsConfig(Config):
    case_sensitive: Annotated[
        bool,
        Field(title="Upper and lower case differ", description="Otherwise both texts are put in lower case."),
    ] = True
    separator: Annotated[
        Annotated[str, Field(min_length=1, max_length=20)] | None,
        Field(
            title="Separator",
            description="Splits the expected text into several phrases, as a comma would; empty for one "
            "phrase.",
        ),
    ] = None
    mode: Annotated[
        Literal["all", "any"], Field(title="Needed", description="All of the phrases, or any one of them.")
    ] = "all"

    @property
    def pass_mark(self) -> float:
        return 1.0

    def needles(self, expected: str) -> list[str]:
        """The phrases looked for: stripped, blank ones dropped."""
        parts = [expected] if self.separator is None else expected.split(self.separator)
        return [part.strip() for part in parts if part.strip()]


def score(config: ContainsConfig, pairs: Pairs) -> Scores:
    """1.0 where the phrases are in the actual text, else 0.0; a blank expected text is missing."""
    actual, expected = pairs.cased(config.case_sensitive)
    needles: Sequence[str] | Sequence[list[str]]
    verdicts: Iterable[bool]
    if config.separator is None:
        needles = list(map(str.strip, expected))
        verdicts = map(contained, actual, needles)
    else:
        needles = list(map(config.needles, expected))
        needed = all if config.mode == "all" else any
        verdicts = (
            needed(map(text.__contains__, parts)) for text, parts in zip(actual, needles, strict=True)
        )
    found = texts.verdicts(verdicts)
    blank = [] if all(needles) else [row for row, needle in enumerate(needles) if not needle]
    return Scores.scored(found, found, missing=dict.fromkeys(blank, Status.MISSING_EXPECTED))


def detail(config: ContainsConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = [text if config.case_sensitive else text.lower() for text in (actual, expected)]
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected)}
    needles = config.needles(expected)
    if not needles:
        return blocks | {"note": "The expected text is blank: there is nothing to look for."}
    found = [needle in actual for needle in needles]
    value = float((all if config.mode == "all" else any)(found))
    listed = [{"text": needle, "found": is_found} for needle, is_found in zip(needles, found, strict=True)]
    formula = f"{sum(found)} of {len(found)} found, {config.mode} needed: {value:.1f}"
    return blocks | {"needles": listed[: explain.MOST], "formula": formula}


contains = Kind(
    key="contains",
    title="Contains",
    description="Whether the expected phrase appears in the answer, whitespace around it aside. With a "
    "separator the expected text is a list of phrases, of which all or any must appear.",
    source="Seed 004 points to axion's Contains Match; Phoenix and Opik know it as contains.",
    version=1,
    Config=ContainsConfig,
    score=score,
    detail=detail,
)
