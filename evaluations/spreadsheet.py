"""Guards cells so that a spreadsheet shows a formula instead of running it, and removes these guards."""

import re
from typing import Any

BYTE_ORDER_MARK = "\ufeff"  # invisible; some programs ignore it in front of a formula
# A cell that already begins with apostrophes gets one more, so that `unguarded` removes only ours.
RUNS_IN_A_SPREADSHEET = re.compile("['\ufeff]*[=+\\-@\t\r\n\x00＝＋－＠]")
RUNS_AS_IT_IS = re.compile("\ufeff*[=+\\-@\t\r\n\x00＝＋－＠]")
# If a spreadsheet splits at semicolons or tabs, a cell begins after each of them. Quotation marks inside such a
# cell do not protect anything, so that a line break between them begins a cell, too.
CELL_BEGINS = ";\t\n\r"
BLANK = '[\ufeff "]*'
FORMULA = "'*[=+\\-@＝＋－＠]"
LIST_ITEM = r"'*[+\-] [^\n\r(!]*(?:[\n\r]|\Z)"  # a list item: calls nothing and refers to no other file
UNGUARDED_WITHIN = re.compile(f"[{CELL_BEGINS}]{BLANK}(?={FORMULA})(?!{LIST_ITEM})")
GUARDED_WITHIN = re.compile(f"([{CELL_BEGINS}]{BLANK})'(?={FORMULA})(?!{LIST_ITEM})")


def guarded(cell: Any) -> Any:
    """The text, with a leading apostrophe if a spreadsheet would run it as a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    if not isinstance(cell, str):
        return cell
    # As `CELL_BEGINS`, spelled out: an export calls this for each cell, and a loop takes twice as long.
    if ";" in cell or "\t" in cell or "\n" in cell or "\r" in cell:
        cell = UNGUARDED_WITHIN.sub(r"\g<0>'", cell)
    return f"'{cell}" if RUNS_IN_A_SPREADSHEET.match(cell) else cell


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
        cell = GUARDED_WITHIN.sub(r"\1", cell)
    return cell


def may_run(cell: str) -> bool:
    """Whether a spreadsheet would run the cell as a formula; never true in a guarded file."""
    return RUNS_AS_IT_IS.match(cell) is not None
