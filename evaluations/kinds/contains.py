"""The kind `contains`: phrases that must appear in the output."""

from collections.abc import Iterable, Sequence
from operator import contains as text_contains
from typing import Annotated, Any, Literal

from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.metrics import texts, whole_words
from evaluations.values import Status


class ContainsConfig(Config):
    case_sensitive: CaseSensitive = True
    separator: Annotated[
        Annotated[str, Field(min_length=1, max_length=20)] | None,
        Field(
            title="Separator",
            description="Splits the expected text into several phrases; case-sensitive. Empty: one phrase.",
        ),
    ] = None
    mode: Annotated[
        Literal["all", "any"], Field(title="Needed", description="All of the phrases, or any one of them.")
    ] = "all"

    whole_words: Annotated[
        bool,
        Field(
            title="Whole words",
            description="The phrase must not be part of a longer word or number: 7 is not in 17, 1.7 or 7,500.",
        ),
    ] = False

    @property
    def pass_mark(self) -> float:
        return 1.0

    def needles(self, expected: str) -> list[str]:
        """The phrases to search for: stripped, without blank ones, in lower case if case is ignored."""
        # Split before lower-casing, because the separator may contain capital letters.
        parts = [expected] if self.separator is None else expected.split(self.separator)
        phrases = [part.strip() for part in parts if part.strip()]
        return phrases if self.case_sensitive else [phrase.lower() for phrase in phrases]

    def has(self, text: str, phrase: str) -> bool:
        """Whether a phrase occurs in a text; an empty one does."""
        return whole_words.has(text, phrase) if self.whole_words and phrase else phrase in text


def score(config: ContainsConfig, pairs: Pairs) -> Scores:
    """1.0 if the phrases occur in the actual text, else 0.0; a blank expected text counts as missing."""
    actual, expected = pairs.cased(config.case_sensitive)
    needles: Sequence[str] | Sequence[list[str]]
    verdicts: Iterable[bool]
    if config.separator is None:
        needles = list(map(str.strip, expected))
        verdicts = map(config.has if config.whole_words else text_contains, actual, needles)
    else:
        needles = list(map(config.needles, pairs.expected))
        needed = all if config.mode == "all" else any
        verdicts = (
            needed(config.has(text, part) for part in parts)
            for text, parts in zip(actual, needles, strict=True)
        )
    matches = texts.verdicts(verdicts)
    blank = [] if all(needles) else [row for row, needle in enumerate(needles) if not needle]
    return Scores.scored(matches, matches, missing=dict.fromkeys(blank, Status.MISSING_EXPECTED))


def detail(config: ContainsConfig, actual: str, expected: str) -> dict[str, Any]:
    needles = config.needles(expected)
    actual, expected = [text if config.case_sensitive else text.lower() for text in (actual, expected)]
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected)}
    if not needles:
        return blocks | {"note": "The expected text is blank: there is nothing to look for."}
    matches = [config.has(actual, needle) for needle in needles]
    value = float((all if config.mode == "all" else any)(matches))
    listed = [{"text": needle, "found": match} for needle, match in zip(needles, matches, strict=True)]
    formula = f"{sum(matches)} of {len(matches)} found, {config.mode} needed: {value:g}"
    return blocks | {"needles": listed[: explain.MOST_LISTED], "formula": formula}


contains = Kind(
    key="contains",
    title="Contains",
    family=Family.SAME_TEXT,
    summary="A phrase that must appear",
    description="Whether the expected phrase appears in the output; whitespace around the phrase is ignored. "
    "With a separator, the expected text is a list of phrases, and all or any of them must appear.",
    source="axion's Contains Match; Phoenix and Opik call it contains.",
    version=2,
    Config=ContainsConfig,
    score=score,
    detail=detail,
    binary=True,
)
