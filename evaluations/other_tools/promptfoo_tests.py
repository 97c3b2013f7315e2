"""promptfoo: tests as CSV, with variables, and assertions in the columns `__expected`, `__expected2`, …"""

from typing import Any, BinaryIO

from evaluations.spreadsheet import unguarded

from . import tables
from .evaluation import number

LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
# prefixes of assertions that are scripts or files, and their type
SCRIPTS = {"fn:": "javascript", "eval:": "javascript", "file://": "file", "grade:": "llm-rubric"}
TYPES = {
    *("answer-relevance", "bleu", "classifier", "contains", "contains-all", "contains-any", "contains-html"),
    *(
        "contains-json",
        "contains-sql",
        "contains-xml",
        "context-faithfulness",
        "context-recall",
        "context-relevance",
    ),
    *("conversation-relevance", "cost", "equals", "factuality", "g-eval", "gleu", "guardrails", "icontains"),
    *(
        "icontains-all",
        "icontains-any",
        "is-html",
        "is-json",
        "is-refusal",
        "is-sql",
        "is-valid-function-call",
    ),
    *("is-valid-openai-function-call", "is-valid-openai-tools-call", "is-xml", "javascript", "latency"),
    *(
        "levenshtein",
        "llm-rubric",
        "meteor",
        "model-graded-closedqa",
        "model-graded-factuality",
        "moderation",
    ),
    *("perplexity", "perplexity-score", "pi", "python", "regex", "rouge-n", "ruby", "similar", "starts-with"),
    *("trace-error-spans", "trace-span-count", "trace-span-duration", "webhook", "word-count"),
}


def is_header(names: list[str]) -> bool:
    """Whether a table has assertions: `__expected`, `__expected1`, …"""
    return any(_is_expected(name) for name in names)


def _is_expected(name: str) -> bool:
    number = name.removeprefix("__expected")
    return name.startswith("__expected") and (not number or number.isdecimal())


def configuration(file: BinaryIO) -> dict[str, Any]:
    """The tests as a configuration has them."""
    return {
        "description": "promptfoo tests",
        "tests": [_test(record) for record in tables.records(file)],
        "prompts": [],
    }


def _test(record: dict[str, str]) -> dict[str, Any]:
    cells = {name: unguarded(cell) for name, cell in record.items()}
    metric, threshold = cells.get("__metric"), number(tables.number_cell(cells.get("__threshold")))
    asserts = [
        _assertion(cell.strip()) for name, cell in cells.items() if _is_expected(name) and cell.strip()
    ]
    named = {name: value for name, value in (("metric", metric), ("threshold", threshold)) if value}
    metadata: dict[str, Any] = {}
    for name, cell in cells.items():
        if name.startswith("__metadata:") and cell:
            label = name.removeprefix("__metadata:")
            is_list = label.endswith("[]")
            metadata[label.removesuffix("[]")] = (
                [part.strip() for part in cell.split(",")] if is_list else cell
            )
        elif name.startswith("__") and name not in USED and not _is_expected(name) and cell:
            metadata[name] = cell
    return {
        "vars": {name: cell for name, cell in cells.items() if not name.startswith("__")},
        "assert": [named | assertion for assertion in asserts],
        "description": cells.get("__description") or None,
        "metadata": metadata,
    }


USED = ("__description", "__metric", "__threshold")


def _assertion(text: str) -> dict[str, Any]:
    """The assertion of a cell: `icontains: hello`, `levenshtein(5): text`, or a text that the output equals.

    >>> _assertion("contains-any:four, 4"), _assertion("4")
    ({'type': 'contains-any', 'value': ['four', '4']}, {'type': 'equals', 'value': '4'})
    >>> _assertion("levenshtein(2): a:b"), _assertion("Note: it depends")
    ({'type': 'levenshtein', 'threshold': 2.0, 'value': 'a:b'}, {'type': 'equals', 'value': 'Note: it depends'})
    """
    for prefix, kind in SCRIPTS.items():
        if text.startswith(prefix):
            return {"type": kind, "value": text.removeprefix(prefix).strip()}
    head, colon, value = text.partition(":")
    name, bracket, limit = head.strip().partition("(")
    threshold = tables.number_cell(limit.removesuffix(")")) if bracket and limit.endswith(")") else None
    if name.removeprefix("not-") not in TYPES or (bracket and threshold is None):
        return {"type": "equals", "value": text}
    given = {} if threshold is None else {"threshold": threshold}
    if not colon:
        return {"type": name} | given
    listed = [part.strip() for part in value.split(",")] if name in LISTS else value.strip()
    return {"type": name} | given | {"value": listed}
