"""Outside scores that are words, such as good and bad: the words in a file, and the number for each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.ingest.role_words import PASSED, RESULTS
from evaluations.kinds.value import WORDS, is_word, numbered

from . import score_columns
from .score_columns import ScoreColumn

TRUE_AND_FALSE = "true = 1, false = 0"
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


def words(rows: Sequence[ingest.Row], scores: Iterable[ScoreColumn]) -> dict[str, list[str]]:
    """The words in these rows, by score."""
    by_name: dict[str, dict[str, None]] = {}
    batch = ingest.Objects(range(len(rows)), rows)
    for score in scores:
        values = score_columns.values(batch, score)
        texts = (value.strip() for value in values if isinstance(value, str) and is_word(value))
        by_name.setdefault(score.name, {}).update(dict.fromkeys(texts))
    return {name: sorted(texts) for name, texts in by_name.items() if 0 < len(texts) <= MOST_WORDS}


def verdicts(rows: Sequence[ingest.Row], scores: Iterable[ScoreColumn]) -> dict[str, str]:
    """Labels for the scores of which these rows have only true and false, or results of tests, as shares of 1."""
    by_name: dict[str, set[str]] = {}
    batch = ingest.Objects(range(len(rows)), rows)
    for score in scores:
        values = score_columns.values(batch, score)
        by_name.setdefault(score.name, set()).update(str(value).strip().lower() for value in values)
    labels = {name: TRUE_AND_FALSE for name, found in by_name.items() if found == {*WORDS}}
    return labels | {
        name: ", ".join(
            f"{word} = {int(word in PASSED)}"
            for word in sorted(found, key=lambda one: (one not in PASSED, one))
        )
        for name, found in by_name.items()
        if len(found) > 1 and found <= RESULTS and not found.isdisjoint(PASSED)
    }


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
