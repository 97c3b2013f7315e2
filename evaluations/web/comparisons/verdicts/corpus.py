"""Corpus scores: BLEU and chrF of all outputs together, beside the means of sentence scores."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, axis_labels, range_plot
from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusScore, CorpusScores, CorpusTable
from evaluations.models import Evaluator
from evaluations.numerals import signed

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest

HEIGHT = 46


@dataclass(frozen=True)
class DrawnScore(CorpusScore):
    """A corpus score with the picture of its interval, empty for the baseline."""

    plot: SafeString


@dataclass(frozen=True)
class DrawnTable:
    """A `CorpusTable` whose intervals are drawn along one `axis`, "" where there is none to draw."""

    evaluator: Evaluator
    scores: CorpusScores
    rows: list[tuple[str, DrawnScore]]
    axis: SafeString


@dataclass(frozen=True)
class Corpus:
    """`tables` is empty unless `?corpus=` requests it, as `open_address` does."""

    tables: list[DrawnTable]
    open_address: str
    close_address: str


def corpus(request: HttpRequest, comparison: Comparison) -> Corpus | None:
    """The corpus scores; None if no evaluator has any."""
    corpus_evaluators = corpus_scores.evaluators(comparison)
    if not corpus_evaluators:
        return None
    is_asked = "corpus" in request.GET
    return Corpus(
        tables=[_drawn(corpus_scores.table(comparison, evaluator)) for evaluator in corpus_evaluators]
        if is_asked
        else [],
        open_address=f"{address(request, corpus='')}#corpus",
        close_address=address(request, corpus=None),
    )


def _drawn(table: CorpusTable) -> DrawnTable:
    shown = [drawn for _, row in table.rows if (drawn := _range(row))]
    axis = Axis.covering(shown)
    rows = [(variant, DrawnScore(**vars(row), plot=_plot(row, axis))) for variant, row in table.rows]
    labels = axis_labels(axis, written=signed) if shown else SafeString("")
    return DrawnTable(table.evaluator, table.scores, rows, labels)


def _plot(row: CorpusScore, axis: Axis) -> SafeString:
    drawn = _range(row)
    return range_plot(axis, drawn, height=HEIGHT, grid=True) if drawn else SafeString("")


def _range(row: CorpusScore) -> Range | None:
    return Range(row.interval[0], row.difference, row.interval[1]) if row.interval else None
