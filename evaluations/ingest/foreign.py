"""Recognises files of other evaluation tools by their shape, so that none silently becomes a single example."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from .problems import FileError

JQ = "jq -c '{}' FILE > rows.jsonl"
OUTPUT_ITEM = "eval.run.output_item"
OUTPUT_ITEM_PATH = "$.sample.output[0].content"
_PROMPTFOO = re.compile(r'"(?:evalId|promptIdx|gradingResult|namedScores)"\s*:')
_INSPECT = re.compile(r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_OPENAI_LIST = re.compile(r'\{\s*"object"\s*:\s*"list"')
_OPENAI_LOG = re.compile(r'\{\s*"spec"\s*:\s*\{[^}]*"(?:eval_name|completion_fns)"')
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


def _refusal(tool: str, verb: str, query: str) -> FileError:
    hint = f"{verb} to JSON Lines and upload that: {JQ.format(query)}"
    return FileError("other_tool", f"The file is {tool}, not a table of examples.", {"line": 1}, hint=hint)


def refuse_foreign_zip(head: bytes) -> None:
    """Raise `FileError` for an Inspect log; `head` is the beginning of a ZIP archive."""
    if any(name in head for name in _INSPECT_MEMBERS) and b".json" in head:
        hint = "Write it as JSON first: inspect log convert FILE --to json --output-dir DIR"
        raise FileError(
            "other_tool", "The file is an Inspect log (.eval), not a table of examples.", hint=hint
        )


def refuse_wrapped_rows(text: str) -> None:
    """Raise `FileError` for an object that wraps its rows in a list, which would become one example."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return
    lists = [name for name, items in value.items() if _is_rows(items)] if isinstance(value, dict) else []
    if lists:
        message = f"The JSON file is one object; its rows seem to be in the list “{lists[0][:80]}”."
        hint = f"Upload that list: {JQ.format(f'.[{orjson.dumps(lists[0]).decode()}][]')}"
        raise FileError("json_not_an_array", message, {"line": 1}, hint=hint)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(item, dict) for item in value)


def is_output_items(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the rows are output items of OpenAI Evals."""
    return bool(rows) and all(row.get("object") == OUTPUT_ITEM for row in rows)


OUTPUT_ITEM_ROLES = {"id": "key", "datasource_item": "inputs", "sample": "leave out", "object": "leave out"}
