"""Guards cells so that a spreadsheet shows a formula instead of running it, and removes these guards."""

import re
from collections.abc import Callable, Sequence
from typing import Any

BYTE_ORDER_MARK = "\ufeff"
OWN_SHEETS = ("Summary", "Examples")  # of our own workbooks: people read the first, an upload the second
# Nobody sees these, and some programs ignore them in front of a formula: control characters and zero-width ones.
UNSEEN = (
    "".join(map(chr, (*range(1, 9), 11, 12, *range(14, 32), 127, 0x85, 0xAD, 0x180E)))
    + "".join(map(chr, (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))))
    + BYTE_ORDER_MARK
)
OPERATORS = "=+-@＝＋－＠"  # the first characters of formulas
STARTS = OPERATORS + "\t\r\n\x00"
# A cell that already begins with apostrophes gets one more, so that `unguarded` removes only ours.
RUNS_IN_A_SPREADSHEET = re.compile(f"['{UNSEEN}]*[{re.escape(STARTS)}]")
MAY_RUN = frozenset(f"'{UNSEEN}{STARTS}")  # the first characters of such cells
RUNS_AS_IT_IS = re.compile(f"[{UNSEEN}]*[{re.escape(STARTS)}]")
# If a spreadsheet splits at semicolons or tabs, a cell begins after each of them. Quotation marks inside such a
# cell do not protect anything, so that a line break between them begins a cell, too.
CELL_BEGINS = ";\t\n\r"
BLANK = f'[{UNSEEN} "]*'
FORMULA = f"'*[{re.escape(OPERATORS)}]"
# A search for a pattern that begins with a single character is several times as fast.
UNGUARDED_WITHIN = {begin: re.compile(f"{begin}{BLANK}(?={FORMULA})") for begin in CELL_BEGINS}
GUARDED_WITHIN = re.compile(f"[{CELL_BEGINS}]{BLANK}'(?={FORMULA})")
LIST_ITEM = re.compile(r"'*[+\-] ")  # begins a list item, unless its line calls or refers to something
LINE_OR_CALL = re.compile(r"[\n\r(!]")


class Share(float):
    """A number that a sheet shows as per cent."""


class Points(float):
    """A difference of shares in percentage points, which a sheet shows with its sign and this word."""


def guarded(cell: Any) -> Any:
    """The text, with a leading apostrophe if a spreadsheet would run it as a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    return guarded_column([cell])[0] if isinstance(cell, str) else cell


def guarded_column(cells: Sequence[str]) -> list[str]:
    """`guarded` for all these texts, in a fraction of the time: what none of them contains is looked for once."""
    everything = "".join(cells)
    for begin, formula in UNGUARDED_WITHIN.items():
        if begin in everything:
            cells = [
                _with_apostrophes(formula, cell) if begin in cell and formula.search(cell) else cell
                for cell in cells
            ]
    return [
        f"'{cell}" if cell[:1] in MAY_RUN and RUNS_IN_A_SPREADSHEET.match(cell) else cell for cell in cells
    ]


def _with_apostrophes(formula: re.Pattern[str], cell: str) -> str:
    is_list_item = _list_items(cell)
    return formula.sub(lambda match: match[0] if is_list_item(match) else f"{match[0]}'", cell)


def _list_items(cell: str) -> Callable[[re.Match[str]], bool]:
    """Whether a list item begins where a match ends, asked from left to right: no part of a line is read twice."""
    line_ends = -1

    def is_list_item(match: re.Match[str]) -> bool:
        nonlocal line_ends
        item = LIST_ITEM.match(cell, match.end())
        if not item:
            return False
        if line_ends < item.end():
            end = LINE_OR_CALL.search(cell, item.end())
            line_ends = end.start() if end else len(cell)
        return cell[line_ends : line_ends + 1] in ("", "\n", "\r")

    return is_list_item


def unguarded(cell: str) -> str:
    """The text from which `guarded` made this cell; any other cell is returned unchanged.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    if "'" not in cell:
        return cell
    if cell[0] == "'" and RUNS_IN_A_SPREADSHEET.match(cell, 1):
        cell = cell[1:]
    if any(map(cell.__contains__, CELL_BEGINS)):
        is_list_item = _list_items(cell)
        cell = GUARDED_WITHIN.sub(lambda match: match[0] if is_list_item(match) else match[0][:-1], cell)
    return cell


def may_run(cell: str) -> bool:
    """Whether a spreadsheet would run the cell as a formula; never true in a guarded file."""
    return RUNS_AS_IT_IS.match(cell) is not None
