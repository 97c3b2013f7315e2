"""The table of codes is complete: nothing in the sources answers with another, and none is left over."""

import ast
from collections.abc import Iterator
from pathlib import Path

from evaluations.api.codes import SENTENCES
from evaluations.api.errors import KEPT
from evaluations.api.refusals import BY_STATUS
from evaluations.ingest.codes import HINTS

PACKAGE = Path(__file__).resolve().parents[2] / "evaluations"
REFUSALS = {
    "Changed",
    "Conflict",
    "Forbidden",
    "Gone",
    "Invalid",
    "MappingError",
    "Refusal",
    "StorageFull",
    "TooLarge",
    "Unmeasured",
    "Unsupported",
}
SOURCES = [path for path in PACKAGE.rglob("*.py") if not {"web", "migrations"} & set(path.parts)]


def raised(source: str) -> Iterator[str]:
    """The codes that a module names: first arguments of refusals, `code=…`, and {"code": …}."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[:1] if name in REFUSALS else []
            named = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            yield from (each.value for each in [*first, *named] if isinstance(each, ast.Constant))
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "code" and isinstance(value, ast.Constant):
                    yield value.value


def test_every_code_in_the_sources_is_in_a_table():
    for path in SOURCES:
        unknown = set(raised(path.read_text())) - set(SENTENCES) - set(HINTS)

        assert not unknown, path


def test_every_code_in_the_table_is_in_the_sources():
    sources = "".join(path.read_text() for path in SOURCES if path.name != "codes.py")

    assert [code for code in SENTENCES if f'"{code}"' not in sources] == []


def test_every_answer_of_the_frame_has_a_sentence():
    assert set(BY_STATUS.values()) | KEPT <= set(SENTENCES)


def test_every_sentence_ends():
    assert [code for code, sentence in SENTENCES.items() if not sentence.endswith(".")] == []
