"""Codes of problems: documented, unique, and in use."""

import re
from pathlib import Path

from evaluations import files, ingest
from evaluations.files import codes

SOURCE = "".join(
    path.read_text()
    for room in (files, ingest)
    for path in Path(str(room.__file__)).parent.glob("*.py")
    if path.stem != "codes"
)
TESTS = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))


def test_every_code_in_the_tables_is_used_and_tested():
    for code in codes.HINTS:
        assert f'"{code}"' in SOURCE, code
        assert f'"{code}"' in TESTS, code


def test_every_code_in_use_is_in_the_tables():
    codes_in_use = re.findall(r'(?:FileError|NotARow|Refused|\.error|\.warn)\(\s*"(\w+)"', SOURCE)

    assert len(codes_in_use) > 40
    assert set(codes_in_use) <= set(codes.HINTS)


def test_hints_are_sentences():
    assert all(hint.endswith(".") for hint in codes.HINTS.values())
