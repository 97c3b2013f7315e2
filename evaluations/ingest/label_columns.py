"""Labels of one text, each with a right column of its own: toxic and spam beside "expected toxic" and "expected spam".

They become an object of what is right and one of what each model says, so that no label is compared with another one.
"""

from collections.abc import Iterable, Sequence

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import is_named_as_variant, words_in_order
from .field_grids import FEWEST, MOST, NAMES, Grid
from .likely import number_of
from .role_words import PREDICTED, RIGHT_FIELDS

SAID = "prediction"  # the object of columns that name no model
ZERO_OR_ONE = {"0", "1"}
Words = tuple[str, ...]


def find(rows: Sequence[Row]) -> Grid | None:
    """The labels of a file: at least two with columns of zeros and ones, and of numbers between them.

    >>> row = {"text": "t", "expected toxic": "1", "expected threat": "0", "toxic": "0.9"}
    >>> find([row | {"threat": "0.1"}] * 9).models
    (('prediction', (('toxic', 'toxic'), ('threat', 'threat'))),)
    >>> find([row] * 9)
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    words = {name: words_in_order(name) for name in columns}
    rights = {name: _without(words[name], RIGHT_FIELDS) for name in columns}
    rights = {
        name: label
        for name, label in rights.items()
        if label and label != words[name] and not is_named_as_variant(name)
    }
    mark = unsaid(rows, [*rights])
    rights = {name: label for name, label in rights.items() if _are_labels(rows, name, mark)}
    said = {name: words[name] for name in columns if name not in rights and _are_shares(rows, name)}
    found = {name: _by_model(label, said) for name, label in rights.items()}
    found = {name: models for name, models in found.items() if models}
    common = set.intersection(*map(set, found.values())) if found else set[str]()
    if not FEWEST <= len(found) <= MOST or not common or not _are_apart(found.values(), common):
        return None
    labels = {name: models.get("") or " ".join(rights[name]) for name, models in found.items()}
    named = tuple(
        (model or _free(SAID, columns), tuple((labels[name], found[name][model]) for name in found))
        for model in sorted(
            common, key=lambda model: min(columns.index(one[model]) for one in found.values())
        )
    )
    expected = next(name for name in (*NAMES, *map(str, range(len(columns) + 1))) if name not in columns)
    return Grid(expected, tuple((label, name) for name, label in labels.items()), named, mark)


def unsaid(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """The value that stands in all of several columns of zeros and ones or in none: nobody said anything; else "".

    >>> unsaid([{"a": 0, "b": 1}, {"a": -1, "b": -1}], ["a", "b"])
    '-1'
    >>> unsaid([{"a": 0, "b": 1}, {"a": -1, "b": 0}], ["a", "b"])
    ''
    """
    cells = [[text_of_cell(row.get(name)) for name in columns] for row in rows]
    others = {text for row in cells for text in row} - ZERO_OR_ONE - {""}
    mark = next(iter(others), "") if len(others) == 1 and len(columns) > 1 else ""
    return mark if all({*row} == {mark} for row in cells if mark in row) else ""


def _without(words: Words, others: set[str]) -> Words:
    return tuple(word for word in words if word not in others)


def _texts(rows: Sequence[Row], name: str) -> set[str]:
    return {text_of_cell(row.get(name)) for row in rows} - {""}


def _are_labels(rows: Sequence[Row], name: str, mark: str) -> bool:
    found = _texts(rows, name) - {mark}
    return bool(found) and found <= ZERO_OR_ONE


def _are_shares(rows: Sequence[Row], name: str) -> bool:
    """Whether a column has numbers from 0 to 1 and nothing else."""
    numbers = [number_of(text) for text in _texts(rows, name)]
    return bool(numbers) and all(number is not None and 0 <= number <= 1 for number in numbers)


def _by_model(label: Words, said: dict[str, Words]) -> dict[str, str]:
    """The columns that say something of a label, by the words for who says it."""
    return {
        " ".join(_without(_without(words, {*label}), PREDICTED)): name
        for name, words in said.items()
        if {*label} <= {*words}
    }


def _are_apart(found: Iterable[dict[str, str]], models: set[str]) -> bool:
    """Whether each column says something of one label alone."""
    columns = [one[model] for one in found for model in models]
    return len({*columns}) == len(columns)


def _free(name: str, columns: Sequence[str]) -> str:
    return name if name not in columns else f"{name} of labels"
