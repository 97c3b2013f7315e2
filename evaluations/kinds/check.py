"""The kind `check`: what an output must contain, match or keep to, and what it must not."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.linear import without_surrogates
from evaluations.metrics import patterns

NO_PHRASES = "no_phrases: There is no phrase to look for."
Phrase = Annotated[str, Field(max_length=10_000)]


class CheckConfig(Config):
    must: Annotated[
        Literal["contain", "not_contain", "match", "not_match", "length"],
        Field(title="The output must", description="What is checked: phrases, a pattern, or the length."),
    ] = "contain"
    phrases: Annotated[
        Phrase | Annotated[list[Phrase], Field(max_length=1_000)],
        Field(
            title="Phrases",
            description="To contain or not: a text, which the separator splits, or a JSON list. Examples can bring "
            "their own, by a path in the mapping.",
            examples=["Acme|Globex"],
        ),
    ] = ""
    separator: Annotated[
        Annotated[str, Field(min_length=1, max_length=20)] | None,
        Field(title="Separator", description="Splits the phrases of a text; empty: the text is one phrase."),
    ] = "|"
    mode: Annotated[
        Literal["all", "any"],
        Field(title="Of several phrases", description="To contain: all of them, or any of them."),
    ] = "all"
    case_sensitive: CaseSensitive = False
    pattern: Annotated[
        Annotated[str, Field(max_length=1_000)] | None,
        Field(
            title="Pattern",
            description="To match or not: a regular expression in RE2 syntax, anywhere in the output.",
        ),
    ] = None
    unit: Annotated[
        Literal["character", "word"],
        Field(title="Length in", description="Characters, or words between blanks."),
    ] = "character"
    minimum: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(title="At least", description="The shortest length that passes; empty for none."),
    ] = None
    maximum: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(title="At most", description="The longest length that passes; empty for none."),
    ] = None

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("must") in ("match", "not_match") and not pattern:
            raise ValueError("A pattern is required to match.")
        if pattern:
            patterns.compile(pattern)
        return pattern

    @model_validator(mode="after")
    def _has_a_length(self) -> "CheckConfig":
        if self.must in ("match", "not_match") and not self.pattern:
            raise ValueError("A pattern is required to match.")
        if self.must == "length" and self.minimum is None and self.maximum is None:
            raise ValueError("A length needs a minimum or a maximum.")
        return self

    @property
    def pass_mark(self) -> float:
        return 1.0

    @property
    def needles(self) -> list[str]:
        """The phrases, without blanks at their ends and without blank ones."""
        listed = self.phrases
        if isinstance(listed, str):
            listed = listed.split(self.separator) if self.separator else [listed]
        return [phrase.strip() for phrase in listed if phrase.strip()]

    @property
    def lacks_phrases(self) -> bool:
        """Whether there is nothing to look for."""
        return self.must in ("contain", "not_contain") and not self.needles

    def found(self, text: str) -> list[tuple[str, bool]]:
        """Each phrase, and whether the text contains it."""
        cased = text if self.case_sensitive else text.lower()
        return [
            (needle, (needle if self.case_sensitive else needle.lower()) in cased) for needle in self.needles
        ]

    def length(self, text: str) -> int:
        return len(text) if self.unit == "character" else len(text.split())


def score(config: CheckConfig, pairs: Pairs) -> Scores:
    """1.0 if the output keeps to the rule, else 0.0."""
    if config.lacks_phrases:
        return Scores.scored(np.zeros(len(pairs)), errors=dict.fromkeys(range(len(pairs)), NO_PHRASES))
    values = np.fromiter((_holds(config, text) for text in pairs.actual), np.float64, len(pairs))
    return Scores.scored(values, values == 1.0)


def _holds(config: CheckConfig, text: str) -> bool:
    if config.must == "length":
        length = config.length(text)
        return (config.minimum or 0) <= length and (config.maximum is None or length <= config.maximum)
    if config.must in ("match", "not_match"):
        matches = patterns.compile(config.pattern or "", ignore_case=not config.case_sensitive).search(
            without_surrogates(text)
        )
        return (matches is not None) == (config.must == "match")
    hits = [is_there for _, is_there in config.found(text)]
    if config.must == "not_contain":
        return not any(hits)
    return all(hits) if config.mode == "all" else any(hits)


def detail(config: CheckConfig, actual: str, expected: str) -> dict[str, Any]:
    value = float(_holds(config, actual))
    blocks: dict[str, Any] = {"compared": explain.compared(actual)}
    if config.must == "length":
        return blocks | {"formula": f"Length {config.length(actual)}: {value:g}"}
    if config.must in ("match", "not_match"):
        word = "Matches" if (value == 1.0) == (config.must == "match") else "Does not match"
        return blocks | {"pattern": config.pattern, "formula": f"{word}: {value:g}"}
    if config.lacks_phrases:
        return blocks | {"note": NO_PHRASES.partition(": ")[2]}
    found = config.found(actual)
    hits = sum(is_there for _, is_there in found)
    needles = [{"text": needle, "found": is_there} for needle, is_there in found[: explain.MOST_LISTED]]
    return blocks | {"needles": needles, "formula": f"{hits} of {len(found)} phrases found: {value:g}"}


check = Kind(
    key="check",
    title="Check",
    family=Family.SAME_TEXT,
    summary="What the output must, or must not, contain",
    description="Whether the output keeps to a rule: it contains phrases or none of them, matches a pattern or "
    "does not, "
    "or has a length within bounds. It reads no reference; examples can bring phrases of their own.",
    source="promptfoo's deterministic assertions contains, icontains, regex and their not- forms.",
    version=1,
    Config=CheckConfig,
    score=score,
    detail=detail,
    parameters=("actual",),
    binary=True,
)
