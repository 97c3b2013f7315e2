"""Templates and style sheets stay readable: `make format` writes them, `make lint` compares them."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = Path(settings.TEMPLATES[0]["DIRS"][0])
SHEETS = Path(settings.STATICFILES_DIRS[0]) / "css"
WIDTH = 140


@pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda file: file.stem)
def test_a_template_has_no_long_lines(template):
    long_lines = [n for n, line in enumerate(template.read_text().splitlines(), 1) if len(line) > WIDTH]

    assert long_lines == []


@pytest.mark.parametrize("sheet", sorted(SHEETS.glob("*.css")), ids=lambda file: file.stem)
def test_a_style_sheet_has_one_declaration_on_a_line(sheet):
    source = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", sheet.read_text(), flags=re.S)

    crowded = [
        line for line in source.splitlines() if line.count(";") > 1 or re.search(r"\{[^}]*:[^}]*;", line)
    ]

    assert crowded == []
