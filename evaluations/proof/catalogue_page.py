"""Writes docs/evaluators.md from the kinds and their contracts."""

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from evaluations import kinds
from evaluations.kinds.contracts import Vector
from evaluations.values import BETTER, JSON

HEAD = """# The evaluator kinds

A kind is the formula of an evaluator. It compares an output (*actual*) with a reference (*expected*) and gives a score,
a verdict if it has a threshold, and a status that says why there is no score. A stored result keeps the kind, its
algorithm version and all settings, so that every score can be recomputed.

## Choose an evaluator

Ask five questions:

- Is there one right form? [Exact match](#exact-match), [label](#label), [numeric match](#numeric-match),
  [JSON match](#json-match).
- Is it free text with few right words? [Contains](#contains), [token F1](#token-f1), [ROUGE](#rouge).
- Is it structure? [JSON fields](#json-fields), [tool calls](#tool-calls), [retrieval](#retrieval).
- Is it meaning? [Semantic similarity](#semantic-similarity).
- Can only a reader tell? A [judge](judges.md): a model that costs a call for each answer, may say something else
  tomorrow, and is worth what people confirm.

If the answer stands inside a longer text, add [reading steps](api.md#evaluators) before you change the kind. Every kind
but semantic similarity gives the same score for the same texts on every machine.

`GET /api/v1/evaluator-kinds/` has the same as JSON, and `manage.py verify_metrics` recomputes every worked example."""


NAMES_AT_A_GLANCE = ("range", "better", "reference", "verdict by default", "deterministic", "cost")

# what a rubric decides cannot be read from its kind
JUDGE_AT_A_GLANCE = (
    "by its rubric",
    "higher",
    "if its rubric shows it",
    "pass, or none",
    "no",
    "a call for each answer",
)


def page() -> str:
    """The whole page in Markdown."""
    every = kinds.CATALOGUE.values()
    overview = _table(
        ("kind", "take it when", *NAMES_AT_A_GLANCE),
        [
            *((_link(kind), kind.advice.when, *at_a_glance(kind)) for kind in every),
            *(
                (f"[{kind.title}](judges.md)", f"{kind.summary}.", *JUDGE_AT_A_GLANCE)
                for kind in kinds.JUDGES.values()
            ),
        ],
    )
    return "\n\n".join([HEAD, overview, *map(_section, every)]) + "\n"


def at_a_glance(kind: kinds.Kind) -> tuple[str, ...]:
    """What the kind is like, in the order of `NAMES_AT_A_GLANCE`."""
    config = kind.parse(kind.contract.golden[0].config)
    low, high = kind.bounds(config)
    ends = " to ".join("∞" if end is None else f"{end:g}".replace("-", "−") for end in (low, high))
    has_direction = "direction" in kind.Config.model_fields
    mark = kind.threshold(config)
    return (
        "by its settings" if has_direction else "0 or 1" if kind.binary else ends,
        "by its settings" if has_direction else BETTER[kind.direction],
        "yes" if "expected" in kind.parameters else "no",
        "none" if mark is None else f"{'at least' if kind.direction == 'maximize' else 'at most'} {mark:g}",
        "with the built-in model" if kind.needs_connection else "yes",
        "a call for each new text; none with the built-in model" if kind.needs_connection else "none",
    )


def _link(kind: kinds.Kind) -> str:
    anchor = "".join(kept for kept in kind.title.lower() if kept.isalnum() or kept in "_- ").replace(" ", "-")
    return f"[{kind.title}](#{anchor})"


def _section(kind: kinds.Kind) -> str:
    better = f"{BETTER[kind.direction]} is better".capitalize()
    if "direction" in kind.Config.model_fields:
        better = "The setting says whether higher or lower is better"
    parts = [
        f"## {kind.title}",
        f"`{kind.key}`, algorithm version {kind.version}. {better}.",
        _wrapped(kind.description),
        _wrapped(f"**When.** {kind.advice.when} **Not when.** {kind.advice.unless}"),
        f"**See also.** {', '.join(_link(kinds.get(key)) for key in kind.advice.see)}.",
        _wrapped(f"**Formula.** {_escaped(kind.contract.formula)}"),
        _table(("setting", "default", "allowed", "meaning"), _settings(kind)),
        "**Edge cases**",
        "\n".join(_wrapped(f"- {_escaped(case)}", "  ") for case in kind.contract.edge_cases),
        "**Worked examples**",
        _examples(kind.contract.golden),
        _wrapped(f"**Source.** {_escaped(kind.source)}"),
    ]
    return "\n\n".join(part for part in parts if part)


def _settings(kind: kinds.Kind) -> Iterator[tuple[str, ...]]:
    for name, setting in kind.schema.get("properties", {}).items():
        choices = setting.get("anyOf", [setting])
        allowed = " or ".join(_allowed(choice) for choice in choices)
        yield f"`{name}`", _code(setting["default"]), allowed, setting["description"]


def _allowed(choice: dict[str, Any]) -> str:
    """The values that a part of a JSON Schema allows, in words."""
    if "enum" in choice:
        return ", ".join(_code(value) for value in choice["enum"])
    if "const" in choice:
        return _code(choice["const"])
    bounds = [
        f"{sign} {choice[key]:g}"
        for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"))
        if key in choice
    ]
    return " ".join([choice["type"], *bounds])


def _examples(vectors: Iterable[Vector]) -> str:
    header = ("actual", "expected", "config", "value", "passed", "status", "working")
    return _table(header, (_example(vector) for vector in vectors))


def _example(vector: Vector) -> tuple[str, ...]:
    working = [_escaped(vector.why)] if vector.why else []
    if vector.embeddings:
        working.append("embeddings " + " and ".join(str(list(side)) for side in vector.embeddings))
    return (
        _code(vector.actual),
        _code(vector.expected),
        _code(vector.config) if vector.config else "",
        "" if vector.value is None else f"{vector.value:.10g}",
        "" if vector.passed is None else "pass" if vector.passed else "fail",
        vector.status,
        "; ".join(working),
    )


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table; empty without rows."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}", *lines]) if lines else ""


def _code(value: JSON) -> str:
    """JSON as code; invisible characters are escaped."""
    written = json.dumps(value, ensure_ascii=False)
    shown = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in written)
    return f"`{shown.replace('|', chr(92) + '|')}`"


def _wrapped(text: str, indent: str = "") -> str:
    """The text in lines of at most 120 characters; all but the first begin with `indent`."""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _escaped(sentence: str) -> str:
    """The sentence with Markdown escaped."""
    return "".join("\\" + mark if mark in "\\|*_<" else mark for mark in sentence)
