"""Finds outputs that choose an option of their row, whatever their names: each cell is its text, letter or number."""

from collections import Counter
from collections.abc import Mapping, Sequence

from evaluations.mapping.options import listed

from .by_values import bare
from .cell_texts import text_of_cell
from .compared import OPTIONS
from .lettered import LETTERS, NEARLY_ALL
from .looked_at import AGREEMENT, ENOUGH, Columns, mean
from .suggest import plain

OF_LISTS = {"choices", "endings", "options"}
ALWAYS = 0.99  # share of the rows from which a column is the right option again, and no answer
Places = list[str | None]  # the letter of the option that each row has; None if it has none


def chosen_options(file: Columns) -> None:
    """Columns whose cells are each the text of an option of their row, or its letter or number as often as right.

    Numbers and letters may be about anything, and so may texts where all rows have the same options.
    """
    options = _options(file)
    if not options or len(file.of("reference")) != 1:
        return
    [right] = file.of("reference")
    known = _places(file, right, options)
    if not known:
        return
    are_alike = len({frozenset(one.values()) for one in options if one}) == 1
    for name in file.of("metadata"):
        said, is_text = _places(file, name, options), _says_texts(file, name, options)
        if not said or (name not in file.free and not is_text):
            continue
        agreed = _agreement(said, known)
        is_copy = agreed >= ALWAYS and not file.names_a_variant(name)
        if not is_copy and ((is_text and not are_alike) or agreed >= AGREEMENT):
            file.guess(name, "output", "each row has one of the options of the question")


def _options(file: Columns) -> list[dict[str, str]]:
    """The texts of the options of each row, by letter; [] if the file has none."""
    columns = [name for name in file.of("inputs") if name in file.found and OPTIONS.fullmatch(plain(name))]
    if len(columns) > 1:
        cells = [[bare(text) for text in row] for row in zip(*map(file.cells, columns), strict=True)]
        return [{letter: text for letter, text in zip(LETTERS, row, strict=False) if text} for row in cells]
    lists = [name for name in file.of("inputs", "metadata") if plain(name) in OF_LISTS]
    for name in lists:
        rows = [row.get(name) for row in file.rows[: len(file.cells(name))]]
        found = [_listed(row) for row in rows]
        if sum(len(one) > 1 for one in found) >= NEARLY_ALL * len(found):
            return found
    return []


def _listed(cell: object) -> dict[str, str]:
    texts = listed(cell if isinstance(cell, dict | list | str) else "", LETTERS[:2]).values()
    if isinstance(cell, list) and all(isinstance(one, str) for one in cell):
        texts = {str(place): text for place, text in enumerate(cell)}.values()
    return dict(zip(LETTERS, map(bare, map(text_of_cell, texts)), strict=False))


def _says_texts(file: Columns, name: str, options: Sequence[Mapping[str, str]]) -> bool:
    """Whether nearly all cells of a column are texts of options of their row."""
    pairs = [(bare(text), one) for text, one in zip(file.cells(name), options, strict=False) if text]
    return len(pairs) >= ENOUGH and mean(text in one.values() for text, one in pairs) >= NEARLY_ALL


def _places(file: Columns, name: str, options: Sequence[Mapping[str, str]]) -> Places:
    """The letters of the options that a column names by text, letter or number; [] if it does not, or always one."""
    cells = [bare(text) for text in file.cells(name)]
    first = 0 if "0" in cells else 1
    found = Places()
    for text, one in zip(cells, options, strict=False):
        by_text = {said: letter for letter, said in one.items()}
        by_letter = {letter.casefold(): letter for letter in one}
        by_number = {str(LETTERS.index(letter) + first): letter for letter in one}
        found.append(by_text.get(text) or by_letter.get(text) or by_number.get(text))
    present = [*filter(None, cells)]
    are_options = len(present) >= ENOUGH and len([*filter(None, found)]) >= NEARLY_ALL * len(present)
    return found if are_options and len({*found} - {None}) > 1 else []


def _agreement(said: Places, known: Places) -> float:
    """How often a column has the right option, as a share of what chance leaves: Cohen's kappa."""
    pairs = [(one, right) for one, right in zip(said, known, strict=True) if one and right]
    if not pairs:
        return 0.0
    answers, rights = Counter(one for one, _ in pairs), Counter(right for _, right in pairs)
    chance = sum(answers[letter] * rights[letter] for letter in answers) / len(pairs) ** 2
    hit = mean(one == right for one, right in pairs)
    return (hit - chance) / (1 - chance) if chance < 1 else 0.0
