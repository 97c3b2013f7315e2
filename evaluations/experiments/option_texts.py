"""Which inputs have the texts of the options behind the labels of a multiple-choice question."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluations.linear import Pattern
from evaluations.mapping.choice import Choice
from evaluations.mapping.options import NAMED, label_of, listed
from evaluations.mapping.reading import Reading, compile_steps
from evaluations.mapping.step import NotFound
from evaluations.values import JSON, canonical_json, opened_json, text_of

Inputs = dict[str, JSON]

MOST_OPTIONS = 10
BEFORE_LABEL = Pattern(rf"^(?:.*_)?(?:{NAMED})?")
FEWEST = 0.01  # share of the outputs that must say the text of an option instead of a label


def found(
    mapping: Mapping[str, Any], asked: Sequence[Inputs], outputs: Sequence[JSON]
) -> dict[str, str] | str:
    """The `options` of the mapping, if inputs have their texts; "" if none does, or hardly an output says such a text.

    `asked` are the inputs of the examples, `outputs` those of one variant after the other.
    """
    reading = compile_steps(mapping["actual"].get("read") or [])
    choice = next((step for step in reading.steps if isinstance(step, Choice)), None)
    if not asked or choice is None or choice.take == "all":
        return ""
    lost = [(place % len(asked), output) for place, output in enumerate(outputs) if _is_lost(reading, output)]
    if columns := _columns(choice.labels, asked[0]):
        said = sum(
            label_of(output, {label: asked[row].get(name) for label, name in columns.items()}) != ""
            for row, output in lost
        )
        paths = {label: f"$.input[{canonical_json(name)}]" for label, name in columns.items()}
        return paths if said >= max(1, FEWEST * len(outputs)) else ""
    hits = {
        name: sum(label_of(output, listed(asked[row].get(name), choice.labels)) != "" for row, output in lost)
        for name in asked[0]
    }
    best = max(hits, key=lambda name: hits[name], default="")
    is_said = best and hits[best] >= max(1, FEWEST * len(outputs))
    return f"$.input[{canonical_json(best)}]" if is_said else ""


def are_numbered(references: Sequence[JSON], asked: Sequence[Inputs]) -> bool:
    """Whether references are a few numbers, and inputs have an option for each: in columns that end so, or in a list.

    >>> are_numbered([0, 1, "2"], [{"choice0": "sea", "choice1": "sun", "choice2": "air"}])
    True
    >>> are_numbered([1, 2, 3], [{"options": ["sea", "sun", "air"]}]), are_numbered([1, 2], [{"question": "1+1?"}])
    (True, False)
    >>> are_numbered([0, 1, 3], [{"options": ["sea", "sun", "air"]}])  # from 0 on there are only three
    False
    """
    known = {str(text_of(reference)) for reference in references}
    if not asked or not 1 < len(known) <= MOST_OPTIONS or not all(map(str.isdecimal, known)):
        return False
    if _columns(sorted(known), asked[0]):
        return True
    lists = [found for value in asked[0].values() if isinstance(found := opened_json(value), list)]
    highest = max(map(int, known)) + ("0" in known)  # counted from 0 or from 1
    return any(1 < highest <= len(found) for found in lists)


def _is_lost(reading: Reading, output: JSON) -> bool:
    """Whether the steps find nothing in an output."""
    try:
        reading.value(output)
    except NotFound:
        return output not in (None, "")
    return False


def _columns(labels: Sequence[str], row: Inputs) -> dict[str, str]:
    """Inputs that are called as the labels are, or end so: A or option_A."""
    ends = {BEFORE_LABEL.sub("", name.casefold()): name for name in row}
    named = {label: ends[label.casefold()] for label in labels if label.casefold() in ends}
    return named if len(named) == len(labels) else {}
