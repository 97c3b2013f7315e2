"""Guesses which column has the key of the examples, from words in names and from values that do or do not repeat."""

from collections.abc import Sequence
from itertools import groupby

from evaluations.linear import Pattern

from .cell_texts import text_of_cell
from .known_names import OTHER_KEYS
from .looked_at import ENOUGH, Columns
from .role_words import OF_NUMBERS
from .suggest import is_called_variant, plain

FEW = 0.1  # share of the rows that may repeat a key by mistake
IDS = {"id", "idx", "uuid", "guid", "qid", "uid", "index", "nr"}
_NUMBERS = Pattern(r"\d+")


def keys(file: Columns) -> None:
    """A column of ids in which no value repeats, if no name says that it is the key.

    One called key whose few values repeat is the key to an exam.
    """
    for name in file.of("key"):
        answers = [text for text in file.cells(name) if text]
        are_blocks = len([*groupby(answers)]) == len({*answers})  # as of the turns of a dialogue
        are_few = len(answers) >= ENOUGH and len({*answers}) * 2 <= len(answers)
        if plain(name) == "key" and are_few and not are_blocks:
            is_free = not file.of("reference")
            file.guess(name, "reference" if is_free else "metadata", "its values repeat, as right answers do")
    _repeated_keys(file)
    if file.of("key"):
        return
    for name in file.of("metadata", "reference"):
        is_free = file.roles[name] == "metadata"
        is_id = is_free and file.words[name] & IDS
        cells = [text_of_cell(row.get(name)) for row in file.rows]
        are_different = all(cells) and len({*cells}) == len(cells) >= ENOUGH
        if are_different and (is_id or (file.words[name] & OF_NUMBERS and are_numbered(cells))):
            file.guess(name, "key", "the values differ in all rows")
            return


def are_numbered(cells: Sequence[str]) -> bool:
    """Whether all cells are the same letters and signs with another number, as CLM-7040502."""
    kinds = {_NUMBERS.sub("0", cell) for cell in cells}
    return len(kinds) == 1 and any(map(str.isalpha, kinds.pop())) and not any(map(str.isspace, cells[0]))


def _repeated_keys(file: Columns) -> None:
    """A key that repeats for other inputs, as the id of a conversation for each of its turns, is none."""
    inputs = file.of("inputs")
    asked = [tuple(text_of_cell(row.get(name)) for name in inputs) for row in file.rows]
    for name in file.of("key") if inputs else ():
        keys = [text_of_cell(row.get(name)) for row in file.rows]
        are_many = len(keys) >= ENOUGH and len({*keys}) * 2 <= len(keys)
        if are_many and len({*zip(keys, asked, strict=True)}) > len({*keys}):
            file.guess(name, "metadata", "its values repeat for other inputs")
            _other_key(file, asked)


def _other_key(file: Columns, asked: Sequence[tuple[str, ...]]) -> None:
    """The first column that is named as a key may be, and names one input each."""
    for name in file.of("metadata"):
        names = [text_of_cell(row.get(name)) for row in file.rows] if plain(name) in OTHER_KEYS else []
        if all(names) and len({*names}) == len({*zip(names, asked, strict=False)}) == len({*asked}):
            file.guess(name, "key", "it names one input each")
            return


def keys_of_whole_rows(file: Columns) -> None:
    """A key that repeats where each row has the outputs of all variants, as for several judges of a question, is none.

    Only the first row of each key would be read.
    """
    is_whole = bool(file.of("preferred")) or len(file.of("output")) > 1
    named = [name for name in file.of("metadata") if is_called_variant(name)]
    if not is_whole or not all(map(file.has_sentences, named)):  # such as what a system said before
        return
    for name in file.of("key"):
        known = [text for row in file.rows if (text := text_of_cell(row.get(name)))]
        if len(known) - len({*known}) > FEW * len(known):
            file.guess(name, "metadata", "its values repeat, and each row has all outputs")
