"""Recognises files of other evaluation tools by their shape, so that none silently becomes a single example."""

from collections.abc import Sequence
from typing import Any

import orjson

from evaluations.files.problems import FileError
from evaluations.linear import Pattern

JQ = "jq -c '{}' FILE > rows.jsonl"
_SPLIT_ROWS = ".columns as $names | .data[] | [$names, .] | transpose | map({(.[0]): .[1]}) | add"
_PROMPTFOO = Pattern(r'"(?:evalId|promptIdx|gradingResult|namedScores)"\s*:')
_INSPECT = Pattern(r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_OPENAI_LIST = Pattern(r'\{\s*"object"\s*:\s*"list"')
_OPENAI_LOG = Pattern(r'\{\s*"spec"\s*:\s*\{[^}]*"(?:eval_name|completion_fns)"')
_INSPECT_MEMBERS = (b"_journal/start.json", b"header.json", b"samples/")


def refuse_foreign_json(text: str) -> None:
    """Raise `FileError` for an export that is one object, or a log of events; `text` is the first part of the file."""
    text = text.lstrip()
    if not text.startswith("{"):
        return
    if _INSPECT.match(text) and '"eval"' in text:
        raise _refusal(
            "an Inspect log",
            "Convert its samples",
            ".samples[] | {id, input, target, output: .output.completion}",
        )
    if '"results"' in text and _PROMPTFOO.search(text):
        rows = ".results.results[] | {vars, provider: .provider.id, output: .response.output}"
        raise _refusal("the results of promptfoo", "Convert its results", rows)
    if _OPENAI_LIST.match(text) and '"eval.' in text:
        raise _refusal("a list of OpenAI Evals", "Convert its items", ".data[]")
    if _OPENAI_LOG.match(text):
        rows = 'select(.type == "sampling") | .data'
        raise _refusal("the log of an OpenAI eval", "Convert its samples", rows)


def refuse_yaml(text: str, extension: str) -> None:
    """Raise `FileError` for YAML, by the name of the file or its first lines: as CSV it would be nonsense.

    >>> refuse_yaml("name, - a: b\\n1,2\\n", ".csv")
    """
    lines = [
        line for line in text[:100_000].split("\n") if line.strip() and not line.lstrip().startswith("#")
    ][:2]
    first, second = (*lines, "", "")[:2]
    is_list = first.startswith("- ") and _names_value(first[2:])
    is_nested = (
        _names_value(first) and not first.rstrip()[:-1].strip().count(",") and first.rstrip().endswith(":")
    )
    is_nested = is_nested and second.startswith((" ", "- "))
    if extension in (".yaml", ".yml") or first.rstrip() == "---" or is_list or is_nested:
        raise FileError("yaml_file", "The file is YAML, a type that is not read as a table.")


def _names_value(line: str) -> bool:
    """Whether a line begins like `name: value` or `name:`."""
    name, colon, value = line.partition(":")
    words = name.strip().strip("\"'")
    return (
        bool(colon and words)
        and len(words) < 100
        and "," not in words
        and (not value.strip() or value[0] == " ")
    )


def _refusal(tool: str, verb: str, query: str) -> FileError:
    hint = f"{verb} to JSON Lines and upload that: {JQ.format(query)}"
    return FileError("other_tool", f"The file is {tool}, not a table of examples.", hint=hint)


def is_foreign_zip(head: bytes) -> bool:
    """Whether a file that begins so is an Inspect log."""
    return head.startswith(b"PK") and any(name in head for name in _INSPECT_MEMBERS) and b".json" in head


def refuse_foreign_zip(head: bytes) -> None:
    """Raise `FileError` for an Inspect log; `head` is the beginning of a ZIP archive."""
    if is_foreign_zip(head):
        hint = "Write it as JSON first: inspect log convert FILE --to json --output-dir DIR"
        raise FileError(
            "other_tool", "The file is an Inspect log (.eval), not a table of examples.", hint=hint
        )


def refuse_table_in_object(text: str) -> None:
    """Raise `FileError` for an object that contains a table of rows: it would become one example."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    table = _table(value) if isinstance(value, dict) and value else None
    if table:
        message, hint = f"The JSON file is one object; {table[0]}.", table[1]
        raise FileError("json_not_an_array", message, hint=hint)


def _table(value: dict[str, Any]) -> tuple[str, str] | None:
    """The path of the rows inside an object, and how to write them one per line."""
    fields = [*value.values()]
    if _are_split(value):
        rows = JQ.format(_SPLIT_ROWS)
        return "its list “data” has the cells of each row without their names", f"Write objects: {rows}"
    if _are_numbered_columns(fields):
        records = 'to_json("rows.jsonl", orient="records", lines=True)'
        return "it has a list of numbered cells for each column", f"In pandas, write rows: {records}"
    if _are_keyed_rows(fields):
        rows = JQ.format("to_entries[] | {key} + .value")
        return "it has a row under each name", f"Write one row per line: {rows}"
    if _are_columns(fields):
        rows = JQ.format("range(first(.[]) | length) as $row | map_values(.[$row])")
        return "it has a list for each column", f"Write one row per line: {rows}"
    return None


def _are_split(value: dict[str, Any]) -> bool:
    """Whether these are the names of columns and rows without names, as pandas (`split`) and W&B write tables."""
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return False
    return bool(names) and all(isinstance(row, list) and len(row) == len(names) for row in rows)


def _are_numbered_columns(fields: Sequence[Any]) -> bool:
    """Whether these are the columns of a data frame in pandas' default JSON format."""
    names = [[*field] for field in fields if isinstance(field, dict)]
    return (
        len(names) == len(fields) and all(keys and keys == names[0] for keys in names) and names[0][0] == "0"
    )


def _are_keyed_rows(fields: Sequence[Any]) -> bool:
    """Whether these are at least three objects with the same names."""
    names = [field.keys() for field in fields if isinstance(field, dict)]
    return len(names) == len(fields) > 2 and all(keys == names[0] for keys in names)


def _are_columns(fields: Sequence[Any]) -> bool:
    lengths = {len(field) if isinstance(field, list) else 0 for field in fields}
    return len(fields) > 1 and len(lengths) == 1 and lengths.pop() > 1
