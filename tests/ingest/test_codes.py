import re
from pathlib import Path

from evaluations import ingest
from evaluations.ingest import codes

SOURCE = "".join(
    path.read_text() for path in Path(ingest.__file__).parent.glob("*.py") if path.stem != "codes"
)
TESTS = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))


def test_every_code_in_the_tables_is_used_and_tested():
    for code in codes.HINTS:
        assert f'"{code}"' in SOURCE, code
        assert f'"{code}"' in TESTS, code


def test_every_code_in_use_is_in_the_tables():
    used = re.findall(r'(?:FileError|NotARow|Refused|\.error|\.warn)\(\s*"(\w+)"', SOURCE)

    assert len(used) > 40
    assert set(used) <= set(codes.HINTS)


def test_hints_are_sentences():
    assert all(hint.endswith(".") for hint in codes.HINTS.values())
