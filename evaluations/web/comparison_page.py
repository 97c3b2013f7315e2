"""What the page of a comparison shows: the verdict's table, and the examples with the largest regressions first."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.http import HttpRequest

from evaluations import charts
from evaluations.comparisons import examples
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import ORDERS, OUTCOMES, Alignment, Compared, Question
from evaluations.datasets.datasets import by_column
from evaluations.metrics.diff import are_unlike, diff
from evaluations.models import Evaluator, Run
from evaluations.results.filters import LONGEST_SEARCH
from evaluations.values import JSON

from . import filters, pair
from .paging import RESET, address, number
from .statistics_page import details
from .texts import Beginning, as_text, beginning
from .verdicts.averages import averages
from .verdicts.duel import duel
from .verdicts.ranking import ranking

SIZE = 25
DIFFS = ("baseline", "expected", "off")
WORDS = {"same": "tied"}
LONGEST_CELL, MOST_CELL_LINES = 300, 6  # of an input or a reference, beside which the outputs stand
KEPT = (
    "runs",
    "baseline",
    "cluster",
    "missing",
    "repeats",
    "square",
    "show",
    "diff",
    "details",
    "evaluators",
    "x",
)


@dataclass(frozen=True)
class Asked:
    """What an address asks of a comparison: which examples, and how their texts are shown."""

    evaluator: Evaluator
    run: Run | None
    show: str
    order: str
    search: str
    different: bool
    diff: str
    ignore_case: bool
    ignore_space: bool
    square: tuple[int, int] | None
    opened: int | None

    @classmethod
    def of(cls, request: HttpRequest, comparison: Comparison) -> "Asked":
        wanted, variant = number(request, "evaluator"), number(request, "variant")
        known = {evaluator.pk: evaluator for evaluator in comparison.evaluators}
        run = next((side.run for side in comparison.others if side.run.pk == variant), None)
        return cls(
            evaluator=known.get(wanted) or comparison.evaluators[0],
            run=run,
            show=filters.choice(request, "show", OUTCOMES, "all"),
            order=filters.choice(request, "order", ORDERS, "drop"),
            search=request.GET.get("q", "").strip()[:LONGEST_SEARCH],
            different="only" in request.GET,
            diff=filters.choice(request, "diff", DIFFS, "baseline" if comparison.others else "off"),
            ignore_case="case" in request.GET,
            ignore_space="space" in request.GET,
            square=filters.square(request, "square") if run else None,
            opened=number(request, "open"),
        )

    @property
    def question(self) -> Question:
        return Question(
            self.evaluator, self.run, self.show, self.order, self.search, self.different, self.square
        )


def page_of(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """The verdict's table and the examples; of three variants or more, two stand side by side."""
    shown, chosen = comparison, None
    if len(comparison.sides) > 2:
        chosen = pair.choose(request, comparison)
        shown = pair.compare(comparison, *chosen)
    asked = Asked.of(request, shown)
    aligned = Alignment(shown, asked.evaluator, asked.run)
    columns = {} if chosen else {asked.evaluator.pk: aligned.columns}
    return {
        "comparison": comparison,
        "warnings": _warnings(comparison),
        "details": details(request, comparison, columns),
        "asked": asked,
        **_table(request, comparison),
        "baselines": _baselines(request, comparison),
        "missing_address": address(request, missing=None if comparison.missing == "exclude" else "exclude"),
        "cluster_address": address(request, cluster=None if comparison.cluster == "none" else "none"),
        "link": request.build_absolute_uri(),
        **_examples_of(request, comparison, shown, asked, aligned, chosen),
    }


def _warnings(comparison: Comparison) -> list[dict[str, Any]]:
    """What the sentences do not say: they have a clause on unanswered examples already."""
    said = ("missing_outputs",) if comparison.others else ()
    return [warning for warning in comparison.warnings if warning["code"] not in said]


def _table(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """Variants as rows from three on, evaluators as rows where there are two, averages of one alone."""
    if len(comparison.sides) > 2:
        return {"ranking": ranking(request, comparison)}
    if comparison.others:
        return {"duel": duel(request, comparison)}
    return {"averages": averages(request, comparison)}


def _baselines(request: HttpRequest, comparison: Comparison) -> dict[str, Any]:
    """The baseline of this view and those that can be chosen; the default is the experiment's."""
    current = comparison.baseline.run
    return {
        "current": comparison.label(current),
        "variant": current.variant,
        "is_default": current.variant == comparison.experiment.baseline,
        "choices": [
            (
                comparison.label(side.run),
                address(request, **(RESET | {"baseline": side.run.pk, "variant": None, "with": None})),
                side is comparison.baseline,
            )
            for side in comparison.sides
        ],
    }


def _examples_of(
    request: HttpRequest,
    comparison: Comparison,
    shown: Comparison,
    asked: Asked,
    aligned: Alignment,
    chosen: tuple[Run, Run] | None,
) -> dict[str, Any]:
    """The examples of `shown`: of the whole comparison, or of the two `chosen` variants."""
    after, before = filters.cursor(request, "after"), filters.cursor(request, "before")
    page = examples.examples(
        shown, asked.question, SIZE, after=after, before=before, aligned=aligned, at=asked.opened
    )
    rows = _examples(request, shown, asked, page.rows)
    if chosen:
        strips = pair.strips(
            request, comparison, asked.evaluator, chosen, [row.position for row in page.rows]
        )
        for row in rows:
            row["strip"] = strips[row["position"]]
    return {
        "sides": sides(comparison, shown),
        "pair": chosen,
        "variants": [(side.run, comparison.label(side.run)) for side in comparison.sides],
        "segments": [
            (
                word,
                WORDS.get(word, word),
                page.counts[word],
                address(request, show=None if word == "all" else word, **RESET),
            )
            for word in (OUTCOMES if shown.others else ("all", "missing"))
            if word != "missing" or page.counts["missing"] or asked.show == "missing"
        ],
        "square": _square(request, shown, asked, aligned),
        "complete": page.counts["all"] - page.counts["missing"],
        "everything": page.counts["all"],
        "diffs": _diffs(request, comparison, shown, asked),
        "examples": rows,
        "kept": filters.kept(request, only=KEPT),
        "total": page.total,
        "first": page.first,
        "last": page.first + len(page.rows) - 1,
        "previous": page.before
        and address(request, before=filters.as_text(page.before), after=None, open=None),
        "next": page.after and address(request, after=filters.as_text(page.after), before=None, open=None),
        "orders": [(order, address(request, order=order, **RESET)) for order in _orders(shown)],
    }


def _square(
    request: HttpRequest, comparison: Comparison, asked: Asked, aligned: Alignment
) -> dict[str, str] | None:
    """The square of the scatter that is shown, in words, and the address without it."""
    if asked.square is None:
        return None
    place = next(n for n, side in enumerate(comparison.sides) if side.run == asked.run)
    edges = examples.squares_of(comparison, asked.evaluator, aligned.columns[0], aligned.columns[place]).edges
    said = [f"{edges[n]:.4g} to {edges[n + 1]:.4g}" for n in asked.square if n < len(edges) - 1]
    return {"said": ", ".join(said), "address": address(request, **RESET)}


def _diffs(
    request: HttpRequest, comparison: Comparison, shown: Comparison, asked: Asked
) -> list[tuple[str, str, str]]:
    """What the outputs can be set against: mode, words and address."""
    is_baseline = shown.baseline.run == comparison.baseline.run
    words = {"baseline": "baseline" if is_baseline else "each other", "expected": "reference", "off": "off"}
    modes = DIFFS if shown.others else DIFFS[1:]
    return [(mode, words[mode], address(request, diff=mode, open=asked.opened)) for mode in modes]


def _orders(comparison: Comparison) -> Sequence[str]:
    return ORDERS if comparison.others else ("drop", "position")


def sides(comparison: Comparison, shown: Comparison) -> list[dict[str, Any]]:
    """The columns of the examples: the one that the other is compared with first."""
    baseline = comparison.baseline.run
    return [
        {
            "run": side.run,
            "name": shown.label(side.run),
            "repeats": len(side.runs),
            "is_baseline": side.run == baseline,
        }
        for side in shown.sides
    ]


# ---- examples ----------------------------------------------------------------------------------------------


def _examples(
    request: HttpRequest, comparison: Comparison, asked: Asked, rows: Sequence[Compared]
) -> list[dict[str, Any]]:
    """The rows of a page; an open one leads to its neighbours there."""
    shown = [_example(request, comparison, asked, row) for row in rows]
    for before, after in pairwise(shown):
        if after["is_open"]:
            after["previous"] = before["address"]
        if before["is_open"]:
            before["next"] = after["address"]
    return shown


def _example(request: HttpRequest, comparison: Comparison, asked: Asked, example: Compared) -> dict[str, Any]:
    baseline = example.rows[0]
    is_open = example.position == asked.opened
    opening = address(request, open=None if is_open else example.position)
    return {
        "position": example.position,
        "name": baseline.key or f"{example.position}",
        "is_open": is_open,
        "address": f"{opening}#e{example.position}",
        "inputs": _parts("inputs", baseline.inputs, is_open),
        "expected": _parts("reference", baseline.reference, is_open),
        "cells": [_output(comparison, asked, example, n, is_open) for n in range(len(example.rows))],
        "all_scores": _all_scores(comparison, asked, example) if is_open else [],
    }


def _parts(part: str, value: JSON, whole: bool) -> list[tuple[str, Beginning]]:
    return [
        (name, beginning(as_text(cell), whole, LONGEST_CELL, MOST_CELL_LINES))
        for name, cell in by_column(part, value).items()
    ]


def _output(comparison: Comparison, asked: Asked, example: Compared, n: int, whole: bool) -> dict[str, Any]:
    row = example.rows[n]
    evaluators = comparison.evaluators
    told = {"name": comparison.label(comparison.sides[n].run), "run": comparison.sides[n].run, "row": row}
    told |= _score(comparison, asked.evaluator, example, n)
    if n:
        gains = [_gain(comparison, evaluator, example, n) for evaluator in evaluators]
        told["ticks"] = charts.ticks(gains) if len(evaluators) > 1 else ""
    if row.output is None:
        return told
    other = _other(asked, example, n)
    output = beginning(as_text(row.output), whole)
    if other is None:
        return told | {"output": output}
    before = beginning(other, whole).text
    changes = diff(before, output.text, ignore_case=asked.ignore_case, ignore_whitespace=asked.ignore_space)
    if are_unlike(changes):
        return told | {"output": output, "is_too_different": True}
    return told | {"output": output, "diff": changes}


def _other(asked: Asked, example: Compared, n: int) -> str | None:
    """The text that an output is set against."""
    if asked.diff == "expected":
        found = list(by_column("reference", example.rows[0].reference).values())
        return as_text(found[0]) if len(found) == 1 and found[0] is not None else None
    if asked.diff == "baseline" and n and example.rows[0].output is not None:
        return as_text(example.rows[0].output)
    return None


def _gain(comparison: Comparison, evaluator: Evaluator, example: Compared, n: int) -> float | None:
    """How much better than the baseline; nothing within the tolerance for ties."""
    gain = example.gain(n, evaluator.name, comparison.direction(evaluator.pk))
    return 0.0 if gain is not None and abs(gain) <= comparison.tie(evaluator.pk) else gain


def _score(comparison: Comparison, evaluator: Evaluator, example: Compared, n: int) -> dict[str, Any]:
    """One score, and its difference to the baseline's in the evaluator's own numbers."""
    score = example.rows[n].scores.get(evaluator.name)
    decimals = 0 if comparison.unit(evaluator.pk) else 2
    told: dict[str, Any] = {"score": score, "decimals": decimals, "verdict": "", "change": None}
    gain = _gain(comparison, evaluator, example, n) if n else None
    if gain is None:
        return told
    sign = 1 if comparison.direction(evaluator.pk) == "maximize" else -1
    return told | {
        "verdict": "better" if gain > 0 else "worse" if gain < 0 else "same",
        "change": sign * gain,
    }


def _all_scores(comparison: Comparison, asked: Asked, example: Compared) -> list[dict[str, Any]]:
    return [
        {
            "evaluator": evaluator,
            "is_chosen": evaluator.pk == asked.evaluator.pk,
            "cells": [
                _score(comparison, evaluator, example, n) | {"name": comparison.label(side.run)}
                for n, side in enumerate(comparison.sides)
            ],
        }
        for evaluator in comparison.evaluators
    ]
