"""The kind `regex_match`: a pattern that the output must match."""

import time
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.linear import without_surrogates
from evaluations.metrics import patterns

# RE2 takes up to five nanoseconds for each character and instruction of a pattern; most patterns take far less.
MOST_STEPS = 10**9
SECONDS = 10.0  # for a batch: a chunk must end well within its lease


class TooSlow(Exception):
    """There is no time for this row."""


class RegexMatchConfig(Config):
    source: Annotated[
        Literal["config", "expected"],
        Field(title="Pattern from", description="One pattern for every row, or each row's expected text."),
    ] = "config"
    ignore_case: Annotated[
        bool, Field(title="Ignore case", description="Upper and lower case match each other.")
    ] = False
    pattern: Annotated[
        Annotated[str, Field(max_length=1_000)] | None,
        Field(
            validate_default=True,
            title="Pattern",
            description="A regular expression in RE2 syntax: no backreferences, no lookaround. Required "
            "unless it comes from the expected text.",
        ),
    ] = None
    mode: Annotated[
        Literal["search", "fullmatch"],
        Field(title="Matches", description="Anywhere in the output, or the whole output."),
    ] = "search"

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("source") != "config":
            return pattern
        if not pattern:
            raise ValueError("A pattern is required unless it comes from the expected text.")
        patterns.compile(pattern, ignore_case=info.data.get("ignore_case", False))
        return pattern

    @property
    def pass_mark(self) -> float:
        return 1.0


def score(config: RegexMatchConfig, pairs: Pairs) -> Scores:
    """1.0 if the pattern matches, else 0.0.

    A row has an error if its pattern, from an expected text, is invalid; or if there is no time left for it.
    """
    if config.source == "config":
        compiled = _compiled(config, config.pattern or "")
        if compiled.programsize * pairs.bound * len(pairs) <= MOST_STEPS:
            matches = map(getattr(compiled, config.mode), map(without_surrogates, pairs.actual))
            values = np.array([match is not None for match in matches], np.float64)
            return Scores.scored(values, values == 1.0)
    return _with_a_clock(config, pairs)


def _with_a_clock(config: RegexMatchConfig, pairs: Pairs) -> Scores:
    values, errors = np.zeros(len(pairs)), {}
    until = time.monotonic() + SECONDS
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        try:
            if time.monotonic() > until:
                raise TooSlow(f"The patterns of earlier examples took more than {SECONDS:g} seconds.")
            values[row] = _match(config, actual, expected) is not None
        except patterns.PatternError as error:
            errors[row] = f"invalid_regex: {error}"
        except TooSlow as error:
            errors[row] = f"pattern_limit: {error}"
    patterns.forget()
    return Scores.scored(values, values == 1.0, errors=errors)


def _match(config: RegexMatchConfig, actual: str, expected: str) -> Any:
    """The match; raises `PatternError`, or `TooSlow` if looking for it could take many seconds."""
    compiled = _compiled(config, (config.pattern if config.source == "config" else expected) or "")
    if compiled.programsize * len(actual) > MOST_STEPS:
        raise TooSlow("The pattern is too large for a text of this length.")
    return getattr(compiled, config.mode)(without_surrogates(actual))


def _compiled(config: RegexMatchConfig, pattern: str) -> Any:
    return patterns.compile(pattern, ignore_case=config.ignore_case)


def detail(config: RegexMatchConfig, actual: str, expected: str) -> dict[str, Any]:
    pattern = config.pattern if config.source == "config" else expected
    blocks: dict[str, Any] = {"compared": explain.compared(actual, expected), "pattern": pattern}
    try:
        match = _match(config, actual, expected)
    except patterns.PatternError as error:
        return blocks | {"note": f"invalid_regex: {error}"}
    except TooSlow as error:
        return blocks | {"note": f"pattern_limit: {error}"}
    if match is None:
        return blocks | {"match": None, "formula": "The pattern does not match: 0"}
    start, end = match.span()
    span = {"start": start, "end": end, "text": actual[start:end]}
    return blocks | {"match": span, "formula": f"The pattern matches characters {start} to {end}: 1"}


regex_match = Kind(
    key="regex_match",
    title="Regex match",
    family=Family.SAME_TEXT,
    summary="A pattern that the output must match",
    description="Whether a regular expression matches the output, anywhere or as a whole. Matching takes "
    "linear time, and examples for which large patterns leave no time get an error.",
    source="Phoenix, Agenta and promptfoo offer it; the syntax is RE2's.",
    version=1,
    Config=RegexMatchConfig,
    score=score,
    detail=detail,
    binary=True,
)
