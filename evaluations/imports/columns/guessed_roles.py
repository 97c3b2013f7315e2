"""Warnings about roles that nobody chose: they were guessed from the names of the columns."""

from collections.abc import Sequence
from typing import Any

import orjson

from .columnmap import ColumnMap


def key_not_unique(column: str | None) -> dict[str, Any]:
    message = f"The column “{column}” repeats values, so it is kept as metadata and not as the key."
    return {"code": "key_not_unique", "message": message, "count": 1, "first_lines": []}


def scores_recognised(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning that names the columns that nobody chose as outside scores."""
    if not columns.takes_remaining or not columns.scores:
        return []
    names = ", ".join(f"“{score.source}”"[:80] for score in columns.scores[:20])
    message = (
        f"These columns look like scores of a tool and became outside scores, higher is better: {names}."
    )
    hint = "Send a mapping with “lower_is_better”, or with these columns as metadata, if that is wrong."
    count = len(columns.scores)
    return [
        {"code": "scores_recognised", "message": message, "hint": hint, "count": count, "first_lines": []}
    ]


def scores_without_output(names: Sequence[str]) -> list[dict[str, Any]]:
    """A warning that columns look like scores, but belong to none or several columns of outputs."""
    if not names:
        return []
    listed = ", ".join(f"“{name[:80]}”" for name in names[:20])
    message = (
        f"These columns look like scores of a tool, but belong to no single column of outputs: {listed}."
    )
    hint = (
        "They are metadata. To use them as outside scores, map them: {“scores”: {name: {variant: column}}}."
    )
    return [
        {
            "code": "scores_without_output",
            "message": message,
            "hint": hint,
            "count": len(names),
            "first_lines": [],
        }
    ]


def no_roles(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning if outputs were recognised, but nothing to compare them with or to ask."""
    if columns.inputs or columns.reference or not columns.outputs:
        return []
    message = "No column was recognised as input or reference, so the examples have neither."
    hint = "Send a mapping that names the inputs or the reference."
    return [{"code": "no_roles", "message": message, "hint": hint, "count": 1, "first_lines": []}]


def rows_repeat(key: str, long: dict[str, str]) -> list[dict[str, Any]]:
    """A warning that several rows seem to be about one example, and became several."""
    message = f"Rows repeat the values of “{key[:80]}”, and each became an example: intervals are too narrow."
    hint = f"To make them one example, send the field long, such as {orjson.dumps(long).decode()[:200]}."
    return [{"code": "rows_repeat", "message": message, "hint": hint, "count": 1, "first_lines": []}]


def as_repetitions(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning that answers in the order of the file became repetitions of one variant."""
    if columns.repeats != "order":
        return []
    message = f"The rows of an example are kept as repetitions of the variant “{columns.of_variant}”."
    hint = "Each repetition is a run; its description says which one it is."
    return [{"code": "rows_as_repetitions", "message": message, "hint": hint, "count": 1, "first_lines": []}]


def as_labels(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning that says what the rows of raters became."""
    if not columns.label:
        return []
    message = (
        f"“{columns.label[:80]}” is what the raters in “{(columns.variant or '')[:80]}” said about "
        f"“{columns.of_variant[:80]}”: labels of a label set."
    )
    hint = "How far raters agree stands on the page of the label set; their majority is a column of the run."
    return [{"code": "rows_as_labels", "message": message, "hint": hint, "count": 1, "first_lines": []}]


def columns_not_recognised(columns: ColumnMap) -> list[dict[str, Any]]:
    """A warning if all columns became metadata, as in a file whose header or delimiter was not understood."""
    if not columns.takes_remaining or columns.inputs or columns.reference or columns.outputs:
        return []
    message = "No column has a well-known name, so none became input, reference or output: all are metadata."
    hint = "Send a mapping. If the file should have other columns, check its first line and its delimiter."
    return [
        {"code": "columns_not_recognised", "message": message, "hint": hint, "count": 1, "first_lines": []}
    ]


KEPT = ("no_roles", "rows_repeat", "scores_without_output")  # known only from the first rows


def kept(warnings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The warnings of the beginning of an import that its end does not find again."""
    return [warning for warning in warnings if warning["code"] in KEPT]


def left_out(names: Sequence[str]) -> list[dict[str, Any]]:
    """A warning that names columns, and fields inside columns, that are not imported."""
    if not names:
        return []
    listed = ", ".join(name[:80] for name in names[:20]) + ", …" * (len(names) > 20)
    message = f"Left out, because the mapping does not name them: {listed}."
    warning = {"code": "columns_left_out", "message": message, "count": len(names), "first_lines": []}
    return [warning | {"left_out": [*names[:100]]}]
