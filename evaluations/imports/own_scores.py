"""The score in a file that should decide its experiment, because people or a test of the team gave it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import kinds
from evaluations.ingest import penalties
from evaluations.ingest.column_names import words_of
from evaluations.ingest.likely import number_of
from evaluations.ingest.role_words import ALIKE, GRADES, OF_CALLS, OF_CHOICES, OF_TESTS, OF_WHOLE, RIGHT
from evaluations.kinds.value import ONE_AND_ZERO, NotANumber, ValueConfig, numbered
from evaluations.numerals import grouped
from evaluations.values import JSON

from .forecasts import Forecast

OF_RIGHT = RIGHT | OF_TESTS
LEARNED = {
    "bleurt",
    "comet",
    "cometkiwi",
    "gemba",
    "xcomet",
}  # measures that agree with people better than words do
OF_PEOPLE = OF_CHOICES | GRADES | penalties.WORDS | penalties.LISTS
MOST_OTHERWISE = 0.05  # share of outputs of which an evaluator may say the opposite of the file
ENOUGH = 20  # outputs of which both say something
HALF = 0.5
HALVES = 2  # numbers that say yes and no; grades are more
HIGHEST_GRADE = 10


class OwnScore(NamedTuple):
    """The name of a score of the file, and why it decides; both "" if none does."""

    name: str
    reason: str


NONE = OwnScore("", "")


def deciding(mapping: dict[str, Any], forecast: Forecast, labels: Mapping[str, str]) -> OwnScore:
    """The score of all variants that decides: where no evaluator can tell right from wrong, or where the one that
    could says otherwise of many outputs.

    `labels` are the words and numbers of scores that say right or wrong, by score. Where likeness or a phrase could be
    looked for, the score must be called after what is right, or what people say.
    """
    advice, scores = forecast.advice, mapping.get("scores", {})
    # "quasi exact" is right wherever "exact" is, and in other spelling, too
    quasi = [words_of(name) - {"quasi"} for name in scores if "quasi" in words_of(name)]
    scores = {name: columns for name, columns in scores.items() if words_of(name) not in quasi}
    columns_of_all = max(len(mapping["outputs"]), 1)  # one column where the rows name their variants
    of_all = [
        name
        for name, columns in scores.items()
        if len(columns) == columns_of_all and not words_of(name) & OF_CALLS
    ]
    of_all.sort(key=lambda name: not words_of(name) & OF_WHOLE)
    telling = _telling(of_all, forecast, labels)
    if advice is None:
        return _alone(telling or of_all)  # the first one would decide in any case
    if advice.is_code:
        return _alone(of_all)
    if kinds.get(advice.kind).measures_likeness or advice.kind == "contains":
        return _alone(telling)
    verdicts = [name for name in telling if name in labels and name in forecast.said and _tells(name)]
    judged = advice.judged() if verdicts else []
    for name in verdicts:
        both, otherwise = _compared(_verdicts(forecast.said[name], labels[name]), judged)
        if both >= ENOUGH and otherwise > both * MOST_OTHERWISE:
            title = advice.evidence.lines[0].title if advice.evidence else kinds.get(advice.kind).title
            reason = (
                f"{title} would say the opposite of {grouped(otherwise)} of the first {grouped(both)} outputs"
            )
            return OwnScore(name, reason)
    return NONE


def _telling(names: Sequence[str], forecast: Forecast, labels: Mapping[str, str]) -> list[str]:
    """The scores that say what is right: "passed" before "base_passed", what a judge or a person says before how alike
    texts are, and "overall" before the grades of one quality."""
    graded = {name for name in names if _has_grades(forecast.said.get(name, ()))}
    found = [
        name
        for name in names
        if labels.get(name, ONE_AND_ZERO) != ONE_AND_ZERO
        or _tells(name)
        or (name in graded and words_of(name) & (OF_WHOLE | {"score"}))
    ]
    return sorted(
        found,
        key=lambda name: (
            bool(words_of(name) & ALIKE),
            name in graded and not words_of(name) & OF_WHOLE,
            not words_of(name) <= RIGHT,
        ),
    )


def _alone(found: Sequence[str]) -> OwnScore:
    reason = "no evaluator here can tell from these rows which answers are right"
    return OwnScore(found[0], reason) if found else NONE


def _tells(name: str) -> bool:
    """Whether a score is called after what is right, or what people or trained models say, perhaps with a number."""
    words = words_of(name)
    return bool((words | {word.rstrip("0123456789") for word in words}) & (OF_RIGHT | OF_PEOPLE | LEARNED))


def _has_grades(values: Sequence[JSON]) -> bool:
    """Whether all values are whole numbers from 0 to 10, more than two, as people and judges give."""
    numbers = {number_of(value) for value in values if value not in (None, "")}
    are_whole = all(number is not None and number in range(HIGHEST_GRADE + 1) for number in numbers)
    return len(values) >= ENOUGH and len(numbers) > HALVES and are_whole


def _verdicts(values: Sequence[JSON], labels: str) -> list[bool | None]:
    """Right or wrong by these labels; None for what is neither."""
    config, by_label = ValueConfig(labels=labels), numbered(labels)

    def verdict(value: JSON) -> bool | None:
        try:
            number = config.number(value, by_label)
        except NotANumber:
            return None
        return number > HALF if number in (0.0, 1.0) else None

    return [*map(verdict, values)]


def _compared(verdicts: Sequence[bool | None], judged: Sequence[float | None]) -> tuple[int, int]:
    """Of how many outputs both say something, and of how many the opposite."""
    if len(verdicts) != len(judged):
        return 0, 0
    both = [
        (verdict, score >= HALF)
        for verdict, score in zip(verdicts, judged, strict=True)
        if verdict is not None and score in (0.0, 1.0)
    ]
    return len(both), sum(verdict != is_right for verdict, is_right in both)
