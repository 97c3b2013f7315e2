"""The table of error codes is complete: it has exactly the codes that the sources use."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from evaluations.api.codes import CODES, ROOMS, explained
from evaluations.api.exception_handler import CODES_OF_DRF
from evaluations.api.refusals import BY_STATUS
from evaluations.clients import failures
from evaluations.files.codes import HINTS, MEANINGS

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
    "_transient",
    "_unusable",
    "_warning",
}
SOURCES = [path for path in PACKAGE.rglob("*.py") if "migrations" not in path.parts]
# modules whose messages about a row begin with a code
ROWS = ("kinds", "mapping", "embeddings.py", "scoring.py")
ROW_MESSAGE = re.compile(r"([a-z]+(?:_[a-z]+)*): (?:[A-Z]|$)")


def raised(source: str) -> Iterator[str]:
    """The codes in a module: first arguments of refusals, `code=…`, and {"code": …}."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[:1] if name in REFUSALS else []
            keyword_values = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            yield from (
                keyword.value for keyword in [*first, *keyword_values] if isinstance(keyword, ast.Constant)
            )
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "code" and isinstance(value, ast.Constant):
                    yield value.value


def row_codes(source: str) -> Iterator[str]:
    """The codes with which texts of a module begin: "too_long: A text has more than …"."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = ROW_MESSAGE.match(node.value)
            yield from match.groups() if match else ()


def test_every_code_in_the_sources_is_in_a_table():
    for path in SOURCES:
        unknown = set(raised(path.read_text())) - set(CODES) - set(HINTS)

        assert not unknown, path


def test_every_code_of_a_row_is_in_the_table():
    codes = {code for path in SOURCES if set(ROWS) & set(path.parts) for code in row_codes(path.read_text())}

    assert {"too_long", "no_number", "no_connection", "many_matches"} <= codes
    assert codes <= set(CODES)


def test_every_code_of_a_connections_server_is_in_the_table():
    assert set(failures.CODES.values()) <= set(CODES)


def test_every_code_in_the_table_is_in_the_sources():
    sources = "".join(
        path.read_text() for path in SOURCES if path.name != "codes.py" and path.parent.name != "codes"
    )

    assert [code for code in CODES if f'"{code}"' not in sources and f'"{code}: ' not in sources] == []


def test_every_answer_of_the_frame_has_a_sentence():
    assert set(BY_STATUS.values()) | CODES_OF_DRF <= set(CODES)


def test_every_code_has_a_meaning_and_a_remedy():
    sentences = [text for _, meaning, remedy in explained() for text in (meaning, remedy)]

    assert set(MEANINGS) == set(HINTS)
    assert [text for text in sentences if not text.endswith(".")] == []


def test_no_code_has_two_meanings():
    tables = [*(room.CODES for room in ROOMS), MEANINGS]

    assert len(explained()) == sum(map(len, tables))


def test_a_refusal_links_to_the_meaning_of_its_code(writer, client):
    answer = writer.post("evaluators/", {"name": "x", "kind": "nothing"})

    address, _, code = answer["Link"].removeprefix("<").removesuffix('>; rel="help"').partition("#")
    assert code == answer.json()["error"]["code"] == "unknown_kind"
    assert f'<tr id="{code}">' in client.get(address).content.decode()


def test_an_unknown_address_links_to_its_code_too(client):
    answer = client.get("/api/v1/nothing/")

    assert answer["Link"].endswith('#unauthorized>; rel="help"')
