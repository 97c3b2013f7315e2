"""Columns of zeros and ones of which one is 1 in each row, for the better answer or for a tie: one column names it.

As in battles of an arena: winner_model_a, winner_model_b and winner_tie.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_in_order
from .looked_at import ENOUGH
from .preferred import TIES
from .role_words import OF_CHOICES
from .suggest import plain

NAME = "preferred"  # of the column in their place
TIE = "tie"
MOST = 40  # columns of zeros and ones that are looked at
HELD = 0.98  # share of the rows in which exactly one is 1
ONES, ZEROS = {"1", "1.0", "true"}, {"0", "0.0", "false"}
OneHot = tuple[tuple[str, str], ...]  # columns, each with what it names where it is 1


def find(rows: Sequence[Row]) -> OneHot:
    """The columns of one choice, each with the mark of its answer or the word for a tie; () if there are none.

    >>> games = ["100", "010", "001"] * 4
    >>> rows = [dict(zip(("winner_a", "winner_b", "winner_tie"), map(int, game))) for game in games]
    >>> find(rows)
    (('winner_a', 'a'), ('winner_b', 'b'), ('winner_tie', 'tie'))
    >>> find([{"winner_a": 1, "winner_b": row["winner_b"]} for row in rows])  # both win: no choice
    ()
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    if len(rows) < ENOUGH or NAME in columns:
        return ()
    marked = [name for name in columns if _are_marks([row.get(name) for row in rows])][:MOST]
    for group in _groups(marked):
        named = _named(group)
        ones = [sum(_is_one(row.get(name)) for name in group) for row in rows]
        apart = [mark for _, mark in named if mark != TIE]
        if len({*apart}) == len(apart) > 1 and all(apart) and ones.count(1) >= HELD * len(ones):
            return named
    return ()


def with_choice(row: Row, columns: OneHot) -> Row:
    """The row with the choice in place of its columns, None where not exactly one of them is 1.

    >>> with_choice({"q": "?", "winner_a": 0, "winner_b": True}, (("winner_a", "a"), ("winner_b", "b")))
    {'q': '?', 'preferred': 'b'}
    """
    marks = dict(columns)
    chosen = [mark for name, mark in columns if _is_one(row.get(name))]
    arranged = Row((name, value) for name, value in row.items() if name not in marks)
    arranged[NAME] = chosen[0] if len(chosen) == 1 else None
    return arranged


def _groups(names: Sequence[str]) -> Iterator[list[str]]:
    """The columns that have a word for a choice in common, alone and with all that have a word for a tie."""
    words = {name: {*words_in_order(name)} for name in names}
    ties = [name for name in names if words[name] & TIES]
    for word in dict.fromkeys(word for name in names for word in words_in_order(name)):
        group = [name for name in names if word in words[name]]
        if word in OF_CHOICES and len(group) > 1:
            if rest := [name for name in ties if name not in group]:
                yield [*group, *rest]
            yield group


def _named(group: Sequence[str]) -> OneHot:
    """Each column with the words that tell it apart from the others that name an answer."""
    words = {name: words_in_order(name) for name in group}
    apart = [{*own} for own in words.values() if not {*own} & TIES]
    common = set.intersection(*apart) if apart else set[str]()
    return tuple(
        (name, TIE if {*own} & TIES else " ".join(word for word in own if word not in common))
        for name, own in words.items()
    )


def _are_marks(cells: Sequence[Any]) -> bool:
    """Whether cells are zeros and ones, or true and false, and both occur."""
    texts = {text_of_cell(cell) for cell in cells if cell not in (None, "")}
    if len(texts) > len(ONES | ZEROS):
        return False
    found = {*map(plain, texts)}
    return found <= ONES | ZEROS and bool(found & ONES) and bool(found & ZEROS)


def _is_one(cell: Any) -> bool:
    return cell is not None and plain(text_of_cell(cell)) in ONES
