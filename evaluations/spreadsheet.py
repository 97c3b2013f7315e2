"""Cells that a spreadsheet shows instead of running."""

from typing import Any

RUNS_IN_A_SPREADSHEET = frozenset("=+-@\t\r\n\x00＝＋－＠")


def guarded(cell: Any) -> Any:
    """A text that a spreadsheet would run as a formula, behind an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in RUNS_IN_A_SPREADSHEET else cell
