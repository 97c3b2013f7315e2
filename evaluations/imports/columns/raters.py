"""Tables with a row for each rater of an example: who said what, and about which text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .column_names import invalid

NAMES = {
    "annotator",
    "assessor",
    "coder",
    "completed_by",
    "grader",
    "judge",
    "labeler",
    "rater",
    "user",
    "worker",
}
MOST_ANSWERS = 9  # of a label set, one key each


def fit(labels: Iterable[Any]) -> bool:
    """Whether these values can be the answers of a label set: two to nine words.

    >>> fit(["good", "bad", "good", None]), fit(["It is 4.", "Four, I think."]), fit(["good"])
    (True, False, False)
    """
    words = {str(label).strip().lower() for label in labels if label not in (None, "")}
    return 2 <= len(words) <= MOST_ANSWERS and not any("," in word or "=" in word for word in words)


def checked(mapping: Mapping[str, Any], labelled: str | None) -> tuple[str, str, str]:
    """What names raters, their labels and what they labelled: the output, else `labelled`, the first input.

    Raises `Invalid`.
    """
    rater, label, output = (mapping.get(part) for part in ("rater", "label", "output"))
    if not isinstance(rater, str) or not isinstance(label, str):
        raise invalid("rater and label must be the names of two columns.", "label" if rater else "rater")
    if mapping.get("outputs") or mapping.get("variant"):
        raise invalid("Rows name their raters or their variants, not both.", "rater")
    source = output or labelled
    if not source:
        raise invalid("Name the column with the text that raters labelled: “output”.", "output")
    return rater, label, source


def labelled(roles: Mapping[str, str], columns: Mapping[str, Sequence[Any]], same: Iterable[str]) -> str:
    """Of the columns that do not differ between an example's rows, the one that raters read; "" without any.

    An output, else an input; of several the longest.
    """
    places = {"output": 2, "inputs": 1}
    length = {name: sum(len(str(value or "")) for value in columns[name]) for name in same}
    return max(length, key=lambda name: (places.get(roles.get(name, ""), 0), length[name]), default="")
