"""The details for the statistician: how a verdict came about, and how many examples another difference needs."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from evaluations import charts
from evaluations.comparisons import clustering
from evaluations.comparisons.comparison import Comparison, Entry
from evaluations.comparisons.examples import overlaid, squares_of
from evaluations.models import Evaluator
from evaluations.scoring.columns import Slots
from evaluations.statistics.power import examples_needed

from . import filters
from .paging import RESET, address, number

METHODS = {
    "flips": "sign flips",
    "flips_and_resamples": "sign flips and resamples",
    "gaussian": "normal approximation with a correction for skew",
}
INTERVALS = {
    "tango": "Tango's score interval",
    "studentised": "at the joint critical value",
    "bound": "a bound: too few examples differ",
}


def _method(method: str | None) -> str:
    plain = (method or "").removesuffix("_clustered")
    named = METHODS.get(plain, "none")
    return named if plain == method else f"{named}, by cluster"


def details(
    request: HttpRequest, comparison: Comparison, known: Mapping[int, list[Slots]]
) -> dict[str, Any] | None:
    """The open row of the scorecard, `?details=` an evaluator's id; `?x=` asks for another difference.

    `known` are columns by evaluator that were read already.
    """
    chosen = number(request, "details")
    evaluator = next((one for one in comparison.evaluators if one.pk == chosen), None)
    if evaluator is None:
        return None
    wanted = filters.decimal(request, "x")
    columns = known.get(evaluator.pk) or comparison.columns(evaluator.pk)
    entries = [entry for entry in comparison.entries if entry.evaluator.pk == evaluator.pk]
    return {
        "evaluator": evaluator,
        "wanted": wanted,
        "close": address(request, details=None, x=None),
        "cluster": comparison.clusters.column if comparison.clusters else "",
        "cluster_columns": clustering.metadata_columns(comparison.dataset),
        "kept": filters.kept(request, without=("x", "cluster")),
        "cells": [
            _cell(request, comparison, evaluator, entry, (columns[0], column), wanted)
            for entry, column in zip(entries, columns[1:], strict=True)
        ],
    }


def _cell(
    request: HttpRequest,
    comparison: Comparison,
    evaluator: Evaluator,
    entry: Entry,
    columns: tuple[Slots, Slots],
    wanted: float | None,
) -> dict[str, Any]:
    paired, bounds = entry.paired, comparison.bounds(evaluator.pk)
    baseline, variant = columns

    def examples(across: int, up: int) -> str:
        chosen = {"evaluator": evaluator.pk, "variant": entry.run.pk, "square": f"{across}-{up}"}
        return f"{address(request, **(RESET | chosen))}#examples"

    counted = squares_of(comparison, evaluator, baseline, variant)
    return {
        "name": comparison.label(entry.run),
        "paired": paired,
        "leftover": entry.leftover,
        "method": _method(paired.method),
        "interval_method": INTERVALS.get(paired.interval_method or "", "none"),
        "needed": examples_needed(paired, wanted) if wanted else None,
        "scatter": charts.scatter(counted, baseline.values, variant.values, paired.direction, link=examples),
        "overlay": charts.overlay(*overlaid([baseline, variant], bounds)),
    }
