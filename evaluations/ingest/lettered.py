"""Finds the column with the letters of right answers beside one with their texts: "B" beside "Heparin"."""

from collections.abc import Mapping
from typing import Any

from evaluations.mapping.options import listed

from .by_values import bare
from .cell_texts import text_of_cell
from .looked_at import ENOUGH, Columns, mean

LETTERS = "ABCDEFGHIJ"
NEARLY_ALL = 0.95  # share of the rows whose letter must be that of the reference among the options


def lettered(file: Columns) -> None:
    """The column of letters, if outputs say these: texts of options are then read as their letters.

    The other way round an output that is the letter alone would be wrong.
    """
    if len(file.of("reference")) != 1:
        return
    [right] = file.of("reference")
    options = [name for name in file.of("inputs", "metadata") if file.has_structures(name)]
    for name in file.of("metadata"):
        letters = {text for text in file.cells(name) if text}
        if not 1 < len(letters) <= len(LETTERS) or not letters <= {*LETTERS}:
            continue
        is_letter_of_it = any(_are_letters_of(file, name, right, column) for column in options)
        if is_letter_of_it and any(file.agree(output, name) for output in file.of("output")):
            file.guess(name, "reference", f"it has the letters of “{right[:40]}”, which outputs say, too")
            file.guess(right, "metadata", f"“{name[:40]}” has its letters")
            return


def _are_letters_of(file: Columns, name: str, right: str, options: str) -> bool:
    rows = [*zip(file.rows, file.cells(name), file.cells(right), strict=False)]
    said = [_text(row.get(options), letter) == bare(text) for row, letter, text in rows if letter and text]
    return len(said) >= ENOUGH and mean(said) >= NEARLY_ALL


def _text(options: Any, letter: str) -> str | None:
    """The text of the option with a letter; None if there is none."""
    if isinstance(options, list):
        place = LETTERS.index(letter)
        return bare(text_of_cell(options[place])) if place < len(options) else None
    found: Mapping[str, Any] = listed(options, [letter])
    return bare(text_of_cell(found[letter])) if letter in found else None
