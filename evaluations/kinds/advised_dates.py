"""Advice where references are dates that outputs write in another way."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations.mapping import dates, times
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.values import JSON, text_of

LONGEST = 5_000  # characters at the end of an output
OTHERWISE = 0.05  # share of the outputs that must have the right date in other words than the reference
AROUND = " .,*\"'“”"
WAYS: tuple[dict[str, str], ...] = (
    {},
    {"match": "first"},
    {"order": "month"},
    {"match": "first", "order": "month"},
)


def are_dates(references: Sequence[JSON], share: float) -> bool:
    return sum(map(_is_date, references)) >= share * len(references)


def _is_date(value: JSON) -> bool:
    text = value.strip(AROUND) if isinstance(value, str) and len(value) < 60 else ""
    return any((start, end) == (0, len(text)) for start, end, _ in dates.found(text))


def are_times(references: Sequence[JSON], share: float) -> bool:
    """Whether references are times of the day."""
    return sum(map(_is_time, references)) >= share * len(references)


def _is_time(value: JSON) -> bool:
    text = value.strip() if isinstance(value, str) and len(value) < 20 else ""
    return any((start, end) == (0, len(text)) for start, end, _ in times.found(text))


def reading_of_times(references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """The step by which most outputs say the time of their row; none where the words of the reference are as good."""
    return _best_of([{"step": "time"}, {"step": "time", "match": "first"}], references, outputs)


def reading(references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """The step by which most outputs say the date of their row; none where the reference's own words are as good."""
    return _best_of([{"step": "date"} | way for way in WAYS], references, outputs)


def _best_of(
    steps: Sequence[dict[str, str]], references: Sequence[JSON], outputs: Sequence[JSON]
) -> list[Any]:
    texts = [split_reasoning(text_of(output) or "")[1][-LONGEST:] for output in outputs]
    literally = sum(
        (text_of(known) or "") in text for text, known in zip(texts, cycle(references), strict=False)
    )
    hits = [_hits(step, texts, references) for step in steps]
    best = max(range(len(steps)), key=hits.__getitem__)
    return [steps[best]] if hits[best] - literally > OTHERWISE * len(texts) else []


def _hits(step: dict[str, str], texts: Sequence[str], references: Sequence[JSON]) -> int:
    said, known = ([_day(step, value) for value in values] for values in (texts, references))
    return sum(day is not None and day == right for day, right in zip(said, cycle(known), strict=False))


def _day(step: dict[str, str], value: JSON) -> JSON:
    try:
        return compile_steps([step]).value(value)
    except NotFound:
        return None
