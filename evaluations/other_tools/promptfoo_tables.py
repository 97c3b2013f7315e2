"""promptfoo: results as a table. In CSV, the outputs of all prompts and their verdicts are columns side by side; the
web viewer also exports the table as JSON. Both become the summary that `promptfoo` reads.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from evaluations.linear import SPACE, Pattern
from evaluations.spreadsheet import unguarded

from . import tables
from .evaluation import as_list, as_object, as_objects, refused

TOOL = "promptfoo"
STATUS, SCORE, NAMED, REASON = "Status", "Score", "Named Scores", "Grader Reason"
METRIC = "Metric: "
HOW = "Write the results again with: promptfoo export eval ID -o results.json"
_TITLE = Pattern(r"(?s)\[([^\]]+)\] (.+)")
_CELL = Pattern(rf"(?s)\[(PASS|FAIL|ERROR)\](?: \(([-\p{{Nd}}.]+)(?:, (.*?))?\))?[{SPACE}]*")
_GRADED = Pattern(r"(?s)\n\n(?:Pass|Fail) Reason: .*\z")


def is_header(names: list[str]) -> bool:
    return bool(_outputs(names)) or any(_TITLE.match(name) for name in names)


def summary(file: BinaryIO) -> dict[str, Any]:
    """Convert the results of a CSV file."""
    rows = tables.rows(file)
    names = next(rows, [])
    columns = _outputs(names) or [
        _Columns(index, {}) for index, name in enumerate(names) if _TITLE.match(name)
    ]
    if not columns:
        raise refused(TOOL, "the table has no column with outputs.", HOW)
    results = [
        result
        for test, row in enumerate(rows)
        for result in _results(test, _filled(row, len(names)), names, columns)
    ]
    return {
        "version": "CSV",
        "prompts": [_prompt(names[column.output]) for column in columns],
        "results": results,
    }


def from_table(document: dict[str, Any]) -> dict[str, Any]:
    """Convert the results of a table of the web viewer."""
    head, body = as_object(document.get("head")), as_objects(document.get("body"))
    names = [str(name) for name in as_list(head.get("vars"))]
    results = [
        _viewed(test, index, output, row, names)
        for test, row in enumerate(body)
        for index, output in enumerate(as_list(row.get("outputs")))
        if isinstance(output, dict)
    ]
    return {"version": "table", "prompts": as_objects(head.get("prompts")), "results": results}


def _viewed(
    test: int, prompt: int, output: dict[str, Any], row: dict[str, Any], names: list[str]
) -> dict[str, Any]:
    texts = as_list(row.get("vars"))
    variables = as_object(as_object(row.get("test")).get("vars")) or dict(zip(names, texts, strict=False))
    failed = output.get("failureReason") == 2
    return {
        "vars": variables,
        "testCase": row.get("test"),
        "error": output.get("text") if failed else output.get("error"),
        "response": None
        if failed
        else {"output": output.get("text"), "tokenUsage": output.get("tokenUsage")},
        **{name: output.get(name) for name in ("score", "gradingResult", "latencyMs")},
        "success": output.get("pass"),
        "promptIdx": prompt,
        "testIdx": test,
    }


# ---- CSV ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Columns:
    """The column with the output of a prompt, and the columns that belong to it, by name."""

    output: int
    facts: dict[str, int]


def _outputs(names: list[str]) -> list[_Columns]:
    """Outputs are the columns before a status and a score; columns up to the next output belong to it."""
    starts = [start - 1 for start in range(1, len(names) - 1) if names[start : start + 2] == [STATUS, SCORE]]
    ends = [*starts[1:], len(names)][: len(starts)]
    return [
        _Columns(start, {name: start + 1 + n for n, name in enumerate(names[start + 1 : end])})
        for start, end in zip(starts, ends, strict=True)
    ]


def _filled(row: list[str], width: int) -> list[str]:
    return [unguarded(cell) for cell in row] + [""] * (width - len(row))


def _prompt(title: str) -> dict[str, Any]:
    match = _TITLE.fullmatch(title)
    provider, label = match.groups() if match else ("", title)
    return {"label": label, "raw": label, "provider": provider}


def _results(
    test: int, row: list[str], names: list[str], columns: list[_Columns]
) -> Iterator[dict[str, Any]]:
    variables = {name: cell for name, cell in zip(names[: columns[0].output], row, strict=False) if name}
    description = variables.pop("Description", "")
    for prompt, column in enumerate(columns):
        facts = {name: row[at] for name, at in column.facts.items()} or _inside(row[column.output])
        if facts.get(STATUS) in ("PASS", "FAIL", "ERROR"):
            yield {
                "promptIdx": prompt,
                "testIdx": test,
                "vars": variables,
                "testCase": {"description": description},
                **_graded(facts.get("text", row[column.output]), facts),
            }


def _inside(cell: str) -> dict[str, str]:
    """The contents of a cell in older versions: `[PASS] (1.00, tone: 0.50)`, the output, and the reason."""
    match = _CELL.match(cell)
    if not match:
        return {}
    named = dict(part.rsplit(": ", 1) for part in (match[3] or "").split(", ") if ": " in part)
    text = _GRADED.sub("", cell[match.end() :])
    return {STATUS: match[1], SCORE: match[2] or "", "text": text} | {METRIC + k: v for k, v in named.items()}


def _graded(output: str, facts: dict[str, str]) -> dict[str, Any]:
    failed = facts[STATUS] == "ERROR"
    named = as_object(tables.structure(facts.get(NAMED)))
    named |= {
        name.removeprefix(METRIC): tables.number_cell(cell) for name, cell in facts.items() if METRIC in name
    }
    components = [
        {"score": value, "assertion": {"type": name, "metric": name}}
        for name, value in named.items()
        if value is not None
    ]
    return {
        "response": None if failed else {"output": output},
        "error": (output or facts.get(REASON) or "The export does not say why.") if failed else None,
        "success": facts[STATUS] == "PASS",
        "score": tables.number_cell(facts.get(SCORE)),
        "gradingResult": None if failed else {"componentResults": components},
    }
