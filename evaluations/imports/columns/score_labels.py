"""Outside scores that are words, such as good and bad: the words in a file, and the number for each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.ingest import verdict_words
from evaluations.kinds.value import ONE_AND_ZERO, TRUE_AND_FALSE, WEIGHED, WORDS, is_word, numbered

from . import score_columns
from .score_columns import ScoreColumn

ONE_OR_ZERO = {"0": 0, "0.0": 0, "1": 1, "1.0": 1}  # the only numbers of a score that says right or wrong
WHOLE = (0.0, 0.5, 1.0)  # scores of what is won, tied or lost
MOST_WORDS = 20  # distinct words in the first rows; a column with more holds texts, not labels


def checked(
    sent_labels: Mapping[str, str] | None, scores: Iterable[ScoreColumn]
) -> tuple[tuple[str, str], ...]:
    """Validate labels such as {"grade": "good = 1, bad = 0"}, by score; raises `Invalid`."""
    names = {score.name for score in scores}
    for name, labels in (sent_labels or {}).items():
        if name not in names:
            raise _invalid("labels must be an object from names of scores to labels with numbers.")
        try:
            numbered(labels)
        except ValueError as wrong:
            raise _invalid(f"{name}: {wrong}") from wrong
    return tuple((sent_labels or {}).items())


def words(batch: ingest.Batch, scores: Iterable[ScoreColumn]) -> dict[str, list[str]]:
    """The words in these rows, by score."""
    by_name: dict[str, dict[str, None]] = {}
    for score in scores:
        values = score_columns.values(batch, score)
        texts = (value.strip() for value in values if isinstance(value, str) and is_word(value))
        by_name.setdefault(score.name, {}).update(dict.fromkeys(texts))
    return {name: sorted(texts) for name, texts in by_name.items() if 0 < len(texts) <= MOST_WORDS}


def verdicts(batch: ingest.Batch, scores: Iterable[ScoreColumn]) -> dict[str, str]:
    """Labels for scores of which these rows have only true and false or 1 and 0, results of tests, or stars.

    Also for preferences with weights, such as AlpacaEval's, whose mean is no share of comparisons.
    """
    by_name: dict[str, dict[str, None]] = {}
    weighed: dict[str, str] = {}
    for score in scores:
        values = score_columns.values(batch, score)
        if score.among and any(isinstance(value, float) and value not in WHOLE for value in values):
            weighed[score.name] = WEIGHED
        texts = (str(value).strip() for value in values if value not in (None, ""))
        by_name.setdefault(score.name, {}).update(dict.fromkeys(texts))
    labels = {name: _labels([*found]) for name, found in by_name.items()}
    return {name: numbers for name, numbers in labels.items() if numbers} | weighed


def _labels(found: Sequence[str]) -> str:
    """The number of each of these words; "" if they are no verdicts, or cannot be written as labels."""
    if {text.lower() for text in found} == {*WORDS}:
        return TRUE_AND_FALSE
    if {*map(ONE_OR_ZERO.get, found)} == {0, 1}:
        return ONE_AND_ZERO
    tests = {
        verdict_words.share: verdict_words.are_results,
        verdict_words.mark: verdict_words.are_marks,
        verdict_words.yes_or_no: verdict_words.are_yes_and_no,
    }
    read = next((read for read, are_such in tests.items() if are_such(found)), None)
    if read is None or len(found) > MOST_WORDS or any({",", "="} & {*text} for text in found):
        return ""
    numbers = {text.lower(): number for text in found if (number := read(text)) is not None}
    ordered = sorted(numbers, key=lambda text: (-numbers[text], text))
    return ", ".join(f"{text} = {numbers[text]:g}" for text in ordered)


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_mapping", message, fields={"mapping.labels": [message]})


def settings(
    names: Iterable[str], lower: Sequence[str], labels: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The evaluator settings for each score."""
    return {
        name: {"direction": "minimize" if name in lower else "maximize", "labels": labels.get(name)}
        for name in names
    }
