"""Style sheets have one declaration on a line; numbers look the same everywhere."""

import ast
import re
from pathlib import Path

import pytest
from django.conf import settings

SHEETS = Path(settings.STATICFILES_DIRS[0]) / "css"
ROOT = Path(__file__).parents[1]
PACKAGES = ("evaluations", "evalsite", "client")
WRITERS_OF_NUMBERS = {"evaluations/numerals.py", "client/evalsite_client/lines.py"}


def lines_with_commas(source: str) -> list[int]:
    """Lines that format numbers with commas between thousands, as in `f"{rows:,}"`."""
    formats = (
        (node.lineno, node.format_spec)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FormattedValue) and node.format_spec
    )
    return [line for line, spec in formats if "," in ast.unparse(spec)]


@pytest.mark.parametrize("package", PACKAGES)
def test_messages_write_thousands_as_pages_do(package):
    modules = {str(module.relative_to(ROOT)): module for module in sorted((ROOT / package).rglob("*.py"))}

    faults = [
        f"{path}:{line}"
        for path, module in modules.items()
        if path not in WRITERS_OF_NUMBERS
        for line in lines_with_commas(module.read_text())
    ]

    assert modules
    assert faults == []


def test_a_comma_between_thousands_is_noticed():
    assert lines_with_commas("x = f'{rows:,} rows, {share:.1f} and {size:,.0f}'") == [1, 1]


@pytest.mark.parametrize("sheet", sorted(SHEETS.glob("*.css")), ids=lambda file: file.stem)
def test_a_style_sheet_has_one_declaration_on_a_line(sheet):
    source = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", sheet.read_text(), flags=re.S)

    crowded = [
        line for line in source.splitlines() if line.count(";") > 1 or re.search(r"\{[^}]*:[^}]*;", line)
    ]

    assert crowded == []
