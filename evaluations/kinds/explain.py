"""The blocks of a `detail`: what was compared, and why the row has its score.

Every value is plain JSON. A kind returns the blocks that apply to it:

- `compared`: {"actual", "expected"}, the exact texts after normalisation.
- `note`: a sentence, if there was nothing to compare or the row has an error.
- `formula`: the calculation in one line, as "1 − 51 / max(20, 70) = 0.2714 → 0.27".
- `difference`: from expected to actual, a list of [tag, expected text, actual text, inside or null], see
  `metrics/diff.py`; of texts over 50 000 characters it shows the stretch around the first difference, and
  `difference_from` says where it begins.
- `edits`: {"total", "inserted", "deleted", "replaced"}, single characters on the shortest way from actual to
  expected.
- `first_difference`: {"position" (from 1), "actual", "expected"}; an empty character means the text had
  ended. Null if equal.
- `words`: {"both", "only_expected", "only_actual"}, lists in order of appearance, and `word_counts` with the
  full numbers.
- `pairs_of_letters`: {"shared" (list), "both", "actual", "expected"}, the adjacent pairs of units and their
  numbers.
- `processed_input`, `processed_output`, `similarity`, `band`: content similarity's own words.
- `bleu`: {"precisions", "matched", "total", "brevity_penalty", "actual_tokens", "expected_tokens"}.
- `rouge`: {"longest_common_subsequence", "actual_words", "expected_words", "matched" (list)}; of words and pairs
  {"common_ngrams", "actual_ngrams", "expected_ngrams", "matched"}.
- `numbers`: {"actual", "expected"}, the numbers found, as written, or null.
- `paths`: a list of {"path", "what", "actual", "expected"} for JSON that differs; `path_count` is the full
  number.
- `match`: {"start", "end", "text"} of what a pattern matched (code points), or null; `pattern` is the
  pattern.
- `needles`: a list of {"text", "found"}.
- `checks`: a list of {"type", "value", "weight", "passed"}.
- `cosine`: the cosine, unrounded.
- `truncated`: true where a text was cut before the comparison.

Lists are cut after 200 entries; the numbers beside them are whole.
"""

from collections.abc import Iterable
from typing import Any

from rapidfuzz.distance import Levenshtein, Prefix

from evaluations.metrics.diff import CAP, diff

MOST_LISTED = 200
BEFORE = 1_000


def compared(actual: str, expected: str | None = None) -> dict[str, str]:
    """The texts that were compared; only the output's for a kind that reads no reference."""
    return {"actual": actual} if expected is None else {"actual": actual, "expected": expected}


def number(value: float) -> str:
    """A number in a formula: four decimals and a real minus sign."""
    return f"{value:.4f}".replace("-", "−")


def against(value: float, threshold: float | None) -> str:
    """The end of a formula: the comparison of the value with the threshold."""
    if threshold is None:
        return ""
    return f", passes at {threshold:g}" if value >= threshold else f", below {threshold:g}"


def difference(actual: str, expected: str, *, ignore_case: bool = False) -> dict[str, Any]:
    """The differences from the expected text to the actual one."""
    start = 0
    if max(len(actual), len(expected)) > CAP:
        start = max(Prefix.similarity(actual, expected) - BEFORE, 0)
    changes = diff(expected[start:], actual[start:], ignore_case=ignore_case)
    return {"difference": changes} | ({"difference_from": start} if start else {})


def edits(actual: str, expected: str) -> dict[str, Any]:
    """The number of edits from actual to expected, by type; empty for very long texts."""
    if max(len(actual), len(expected)) > CAP:
        return {}
    tags = [edit.tag for edit in Levenshtein.editops(actual, expected)]
    counts = {word: tags.count(tag) for word, tag in EDITS.items()}
    return {"edits": {"total": len(tags), **counts}}


EDITS = {"inserted": "insert", "deleted": "delete", "replaced": "replace"}


def first_difference(actual: str, expected: str) -> dict[str, Any]:
    """The first position at which two texts differ."""
    if actual == expected:
        return {"first_difference": None}
    index = Prefix.similarity(actual, expected)
    characters = {"actual": actual[index : index + 1], "expected": expected[index : index + 1]}
    return {"first_difference": {"position": index + 1, **characters}}


def words(actual: Iterable[str], expected: Iterable[str]) -> dict[str, Any]:
    """The words on both sides, and on one side only."""
    actual_words, expected_words = dict.fromkeys(actual), dict.fromkeys(expected)
    parts = {
        "both": [word for word in expected_words if word in actual_words],
        "only_expected": [word for word in expected_words if word not in actual_words],
        "only_actual": [word for word in actual_words if word not in expected_words],
    }
    counts = {name: len(part) for name, part in parts.items()}
    return {"words": {name: part[:MOST_LISTED] for name, part in parts.items()}, "word_counts": counts}
