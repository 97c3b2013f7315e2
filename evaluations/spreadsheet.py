"""Guards cells so that a spreadsheet shows a formula instead of running it, and removes the guard again."""

import re
from typing import Any

BYTE_ORDER_MARK = "\ufeff"  # Invisible, and skipped by some programs ahead of a formula.
# A cell that begins with apostrophes already gets one more, so that `unguarded` knows which one is ours.
RUNS_IN_A_SPREADSHEET = re.compile("['\ufeff]*[=+\\-@\t\r\n\x00＝＋－＠]")
RUNS_AS_IT_IS = re.compile("\ufeff*[=+\\-@\t\r\n\x00＝＋－＠]")
# If a spreadsheet splits at semicolons or tabs, a cell begins after each. Quotation marks in the middle
# of such a cell hold nothing together, so that a line break between them begins a cell, too.
CELL_BEGINS = ";\t\n\r"
BLANK = '[\ufeff "]*'
FORMULA = "'*[=+\\-@＝＋－＠]"
LIST_ITEM = r"'*[+\-] [^\n\r(!]*(?:[\n\r]|\Z)"  # calls nothing and names no other file
UNGUARDED_WITHIN = re.compile(f"[{CELL_BEGINS}]{BLANK}(?={FORMULA})(?!{LIST_ITEM})")
GUARDED_WITHIN = re.compile(f"([{CELL_BEGINS}]{BLANK})'(?={FORMULA})(?!{LIST_ITEM})")


def guarded(cell: Any) -> Any:
    """The text, with an apostrophe in front if a spreadsheet would run it as a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1+1")
    ("'=1+1", "''=1+1", '1+1')
    """
    if not isinstance(cell, str):
        return cell
    if any(map(cell.__contains__, CELL_BEGINS)):
        cell = UNGUARDED_WITHIN.sub(r"\g<0>'", cell)
    return f"'{cell}" if RUNS_IN_A_SPREADSHEET.match(cell) else cell


def unguarded(cell: str) -> str:
    """The text from which `guarded` made this cell.

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
    """Whether a spreadsheet would run the cell; never true in a guarded file."""
    return RUNS_AS_IT_IS.match(cell) is not None
