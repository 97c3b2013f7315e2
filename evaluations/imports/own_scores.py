"""The score in a file that should decide its experiment, because people or a test of the team gave it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import kinds
from evaluations.ingest import penalties, several_raters
from evaluations.ingest.column_names import words_of
from evaluations.ingest.likely import number_of
from evaluations.ingest.role_words import OF_CHOICES
from evaluations.ingest.score_words import (
    ALIKE,
    GRADES,
    LOWER,
    NORMALISED,
    OF_CALLS,
    OF_EASE,
    OF_QUALITY,
    OF_RUNNING,
    OF_TESTS,
    OF_WHOLE,
    RIGHT,
)
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
OF_JUDGES = OF_QUALITY - ALIKE - {"score", "similarity"}
OF_PEOPLE = OF_CHOICES | GRADES | penalties.WORDS | penalties.LISTS
MOST_OTHERWISE = 0.05  # share of outputs of which an evaluator may say the opposite of the file
MOST_LOOSER = 0.2  # share of the outputs of which two results differ that the stricter one may call right
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
    """The score of all variants that decides: where no evaluator can tell right from wrong, where something speaks
    against the one that could, or where it says otherwise of many outputs.

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
    of_all.sort(
        key=lambda name: (bool(words_of(name) & OF_EASE), not words_of(name) & OF_WHOLE, not _is_main(name))
    )
    of_raters = {name for name in of_all if any(isinstance(one, list) for one in scores[name].values())}
    telling = _telling(of_all, forecast, labels, of_raters)
    if advice is None:
        return _alone(telling or of_all)  # the first one would decide in any case
    if advice.is_code:
        return _alone(telling or of_all)
    if kinds.get(advice.kind).measures_likeness or advice.kind == "contains":
        return _alone(telling)
    title = advice.evidence.lines[0].title if advice.evidence else kinds.get(advice.kind).title
    if advice.doubt and (found := telling or of_all):  # without an evaluator, the first one decides
        return OwnScore(found[0], f"{title} would suit the references, but {advice.doubt}")
    verdicts = [name for name in telling if name in labels and name in forecast.said and _tells(name)]
    judged = advice.judged() if verdicts else []
    for name in verdicts:
        both, otherwise = _compared(_verdicts(forecast.said[name], labels[name]), judged)
        if both >= ENOUGH and otherwise > both * MOST_OTHERWISE:
            reason = (
                f"{title} would say the opposite of {grouped(otherwise)} of the first {grouped(both)} outputs"
            )
            return OwnScore(name, reason)
    return NONE


def _telling(
    names: Sequence[str], forecast: Forecast, labels: Mapping[str, str], of_raters: set[str]
) -> list[str]:
    """The scores that say what is right: "passed" before "base_passed", what a judge or a person says before how alike
    texts are, "overall" before the grades of one quality, and the stricter of two results."""
    graded = {name for name in names if _has_grades(forecast.said.get(name, ()))}
    of_judges = {
        name for name in names if words_of(name) & OF_JUDGES and _has_shares(forecast.said.get(name, ()))
    }
    penalties_of = {name for name in names if _are_penalties(name, forecast.said.get(name, ()))}
    rated = (
        of_raters
        | penalties_of
        | {name for name in names if several_raters.are_marks([forecast.said.get(name, ())])}
    )
    found = [
        name
        for name in names
        if not words_of(name) & OF_EASE
        if labels.get(name, ONE_AND_ZERO) != ONE_AND_ZERO
        or _tells(name)
        or name in rated | of_judges
        or (name in graded and words_of(name) & (OF_WHOLE | OF_QUALITY))
    ]
    looser = {name for name in found if any(_is_stricter(other, name, forecast, labels) for other in found)}
    return sorted(
        found,
        key=lambda name: (
            bool(words_of(name) & OF_RUNNING),
            bool(words_of(name) & ALIKE),
            bool(words_of(name) & LOWER),
            name in graded | rated and not words_of(name) & OF_WHOLE,
            not _tells(name),
            not words_of(name) <= RIGHT,
            not _is_main(name),
            name in looser,
        ),
    )


def _is_main(name: str) -> bool:
    """Whether a score is the one of two that benchmarks report: acc_norm, fair to longer options, before acc."""
    return bool(words_of(name) & NORMALISED)


def _is_stricter(name: str, other: str, forecast: Forecast, labels: Mapping[str, str]) -> bool:
    """Whether two results with a word in common hardly differ but where this one is wrong: plus_status, base_status."""
    if name == other or not words_of(name) & words_of(other):
        return False
    first, second = (
        _verdicts(forecast.said.get(one, ()), labels.get(one, ONE_AND_ZERO)) for one in (name, other)
    )
    differ = [
        bool(one) for one, two in zip(first, second, strict=False) if None not in (one, two) and one != two
    ]
    return len(first) >= ENOUGH and bool(differ) and sum(differ) <= MOST_LOOSER * len(differ)


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


def _are_penalties(name: str, values: Sequence[JSON]) -> bool:
    """Whether all values are numbers up to 0, as the points that reviewers take off a translation (MQM)."""
    numbers = {number_of(value) for value in values if value not in (None, "")}
    is_named = bool(words_of(name) & (OF_QUALITY | penalties.WORDS))
    return (
        is_named and len(numbers) > HALVES and all(number is not None and number <= 0 for number in numbers)
    )


def _has_shares(values: Sequence[JSON]) -> bool:
    """Whether all values are numbers from 0 to 1, more than two, as a judge has of the statements in an answer."""
    numbers = {number_of(value) for value in values if value not in (None, "")}
    return len(numbers) > HALVES and all(number is not None and 0 <= number <= 1 for number in numbers)


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
