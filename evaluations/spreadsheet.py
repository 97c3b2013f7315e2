"""Cells that a spreadsheet shows instead of running."""

import re
from typing import Any

RUNS_IN_A_SPREADSHEET = frozenset("=+-@\t\r\n\x00＝＋－＠")
BYTE_ORDER_MARK = "\ufeff"  # Invisible, and skipped by some programs ahead of a formula.
# Where a spreadsheet takes semicolon or tab for the delimiter, a cell begins behind one; quotation marks do not help.
BEHIND_A_DELIMITER = re.compile("(?<=[;\t])[\ufeff ]*(?=[=+\\-@＝＋－＠])")


def guarded(cell: Any) -> Any:
    """The text, behind an apostrophe if a spreadsheet would run it as a formula."""
    if not isinstance(cell, str):
        return cell
    if ";" in cell or "\t" in cell:
        cell = BEHIND_A_DELIMITER.sub(r"\g<0>'", cell)
    return f"'{cell}" if cell.lstrip(BYTE_ORDER_MARK)[:1] in RUNS_IN_A_SPREADSHEET else cell
