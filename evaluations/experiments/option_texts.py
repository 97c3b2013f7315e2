"""Which inputs have the texts of the options behind the labels of a multiple-choice question."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluations.mapping.options import label_of
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.steps import Choice, NotFound
from evaluations.values import JSON, canonical_json

Inputs = dict[str, JSON]

FEWEST = 0.01  # share of the outputs that must say the text of an option instead of a label


def found(mapping: Mapping[str, Any], asked: Sequence[Inputs], outputs: Sequence[JSON]) -> dict[str, str]:
    """The paths of the texts by label; {} where labels are no letters or numbers of options, or hardly a text is said.

    `asked` are the inputs of the examples, `outputs` those of one variant after the other.
    """
    steps = mapping["actual"].get("read") or []
    reading = compile_steps(steps)
    choice = next((step for step in reading.steps if isinstance(step, Choice)), None)
    if not asked or choice is None or choice.take == "all":
        return {}
    options = _columns(choice.labels, asked[0]) or _members(choice.labels, asked)
    said = 0
    for place, output in enumerate(outputs):
        try:
            reading.value(output)
        except NotFound:
            row = asked[place % len(asked)]
            said += label_of(output, {label: _text(row, *at) for label, at in options.items()}) != ""
    if said < max(1, FEWEST * len(outputs)):
        return {}
    return {
        label: f"$.input{''.join(f'[{canonical_json(part)}]' for part in at)}"
        for label, at in options.items()
    }


At = tuple[str | int, ...]  # the names of an input, and of a member of it


def _columns(labels: Sequence[str], row: Inputs) -> dict[str, At]:
    """Inputs that are called as the labels are, or end so: A or option_A."""
    ends = {
        name.casefold().rpartition("_")[2].removeprefix("option").removeprefix("choice"): name for name in row
    }
    named = {label: ends.get(label.casefold()) for label in labels}
    return {label: (name,) for label, name in named.items() if name} if all(named.values()) else {}


def _members(labels: Sequence[str], asked: Sequence[Inputs]) -> dict[str, At]:
    """The members of an input that is a list, also inside "text", with one for each label in their order."""
    for name, value in asked[0].items():
        inside = ("text",) if isinstance(value, dict) and isinstance(value.get("text"), list) else ()
        lists = [_text(row, name, *inside) for row in asked]
        longest = max((len(one) for one in lists if isinstance(one, list)), default=0)
        if longest == len(labels) and all(isinstance(one, list) for one in lists):
            return {label: (name, *inside, place) for place, label in enumerate(sorted(labels))}
    return {}


def _text(row: Inputs, *at: str | int) -> Any:
    """What stands there in the inputs of an example; None if nothing does."""
    value: Any = row
    for part in at:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value
