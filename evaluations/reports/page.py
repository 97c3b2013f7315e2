"""A report as one self-contained HTML file, which opens without a network and runs no script."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from evaluations import request_ids
from evaluations.charts import Axis, Range, axis_labels, baseline_plot, points, range_plot
from evaluations.comparisons import file_raters, notes
from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.measure_units import units
from evaluations.errors import Gone
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator
from evaluations.numerals import grouped, signed
from evaluations.results.filenames import attachment
from evaluations.statistics.terms import Difference

from .gate_tables import gate_table
from .report import Report
from .sections import sections

TYPE = "text/html; charset=utf-8"
SHEETS = ("tokens", "base", "charts", "reading", "report", "stacks")
HEIGHT = 34
LONG_NAME = 30  # letters


@dataclass(frozen=True)
class Row:
    """A variant by one evaluator, with its mean over `n` examples, on `unread` of which the evaluator found nothing to
    score; `paired` is None for the baseline."""

    name: str
    rank: str
    mean: float | None
    n: int
    paired: Difference | None
    plot: SafeString
    unread: int = 0


@dataclass(frozen=True)
class Table:
    """The variants by one evaluator: the primary one best first, else the baseline.

    `figure` heads the means, and `what` says what the scores are.
    """

    evaluator: Evaluator
    is_primary: bool
    lower_is_better: bool
    is_share: bool
    n: int
    standing: str
    figure: str
    what: str
    axis: SafeString
    rows: Sequence[Row]

    @property
    def is_undecided(self) -> bool:
        """Whether several variants all have no clear difference to the baseline, which is then said once."""
        compared = [row.paired.verdict for row in self.rows if row.paired]
        return len(compared) > 1 and set(compared) == {"cannot_tell"}

    @property
    def reason(self) -> str:
        """Why no variant has a verdict, if it is the same for all, which is then said once."""
        compared = [row.paired for row in self.rows if row.paired]
        reasons = {None if paired.verdict else paired.reason for paired in compared}
        return (reasons.pop() or "") if len(reasons) == 1 else ""

    @property
    def unread(self) -> int:
        """On how many answers of each variant the evaluator found nothing to score; 0 if the variants differ in it."""
        counts = {row.unread for row in self.rows if row.mean is not None}
        return counts.pop() if len(counts) == 1 else 0

    @property
    def facts(self) -> str:
        """What stands beside the name of the evaluator; without figures the reason says the rest."""
        told = ["primary"] if self.is_primary else []
        told += ["lower is better"] if self.lower_is_better else []
        if self.has_figures and self.n:
            told.append(f"n = {grouped(self.n)}")
        if self.has_figures and self.unread:
            counted_as = "wrong" if self.is_share else "worst"
            told.append(f"{grouped(self.unread)} of each variant unread, which count as {counted_as}")
        if not self.has_figures and not self.reason:
            told.append("no scores")
        return ", ".join([*told, *([self.standing] if self.standing else [])])

    @property
    def has_long_names(self) -> bool:
        """Whether names of variants need the room of the drawing on paper."""
        return any(len(row.name) > LONG_NAME for row in self.rows)

    @property
    def has_figures(self) -> bool:
        """Whether any score is of an answer that was read: else all means are of what counts as wrong."""
        return any(row.mean is not None and row.unread < row.n for row in self.rows)


@dataclass(frozen=True)
class Answered:
    """A variant's number of answered examples, and what its answers took, by the title of the measure."""

    name: str
    answered: int
    total: int
    took: Sequence[tuple[str, str]]


def html(report: Report) -> str:
    answered = _answered(report.comparison)
    names = [report.comparison.sides.label(side.run) for side in report.comparison.best_first]
    context = {
        "report": report,
        "comparison": report.comparison,
        "notes": notes.of(report.comparison),
        "sections": sections(report.comparison, report.further),
        "tables": [_table(report.comparison, evaluator) for evaluator in report.comparison.evaluators],
        "gates": [gate_table(report.comparison, verdict, names) for verdict in report.gates.verdicts],
        "answered": answered,
        "all_answered": all(row.answered == row.total for row in answered),
        "style": SafeString(f"<style>{sheet()}</style>"),  # the policy contains a digest of exactly this text
        "policy": policy(),
    }
    return render_to_string("reports/report.html", context)


def ended(gone: Gone) -> str:
    """The page of a link that shows nothing any more."""
    style = SafeString(f"<style>{sheet()}</style>")
    context = {"gone": gone, "style": style, "policy": policy(), "request_id": request_ids.current.get()}
    return render_to_string("reports/ended.html", context)


def policies(written: str) -> dict[str, str]:
    """The headers of a page that was written now or, with the style sheet of that day, long ago."""
    style = written.partition("<style>")[2].partition("</style>")[0]
    return {"Content-Security-Policy": _allowing(style)}


def headers(comparison: Comparison) -> dict[str, str]:
    """The headers of a response with a report: its Content-Security-Policy and its file name."""
    return {
        "Content-Security-Policy": policy(),
        "X-Content-Type-Options": "nosniff",
        "Content-Disposition": attachment(f"{comparison.sides.experiment.name} report", "html").replace(
            "attachment", "inline", 1
        ),
    }


@cache
def sheet() -> str:
    """The style sheets that a report uses, concatenated."""
    return "\n".join(_read(f"css/{name}.css") for name in SHEETS)


def _read(name: str) -> str:
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(name)
    return Path(path).read_text(encoding="utf-8")


@cache
def policy() -> str:
    """The Content-Security-Policy: no requests, no scripts, no forms; exactly this style sheet."""
    return _allowing(sheet())


def _allowing(style: str) -> str:
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _what(comparison: Comparison, evaluator: Evaluator) -> str:
    """What an evaluator is, in a line: of scores that several people gave, whose mean they are."""
    version = comparison.evaluators.scoring(evaluator.pk).evaluator_version
    if raters := file_raters.of(comparison.sides.experiment, version):
        return f"Mean of the grades of {raters}"
    return Recipe.from_version(version).kind.summary


def _table(comparison: Comparison, evaluator: Evaluator) -> Table:
    is_primary = evaluator == comparison.evaluators.primary
    entries = {id(entry.side): entry.paired for entry in comparison.figures.entries_of(evaluator)}
    is_turned = comparison.evaluators.lower_is_better(evaluator.pk)
    is_share = comparison.evaluators.is_share(evaluator.pk)
    axis = Axis.covering(map(_range, entries.values()), is_turned=is_turned)
    means = dict(zip(map(id, comparison.sides), comparison.figures.means_over(evaluator), strict=True))
    unread = dict(zip(map(id, comparison.sides), comparison.figures.unread(evaluator), strict=True))
    ranks = _ranks(comparison) if is_primary else {}
    return Table(
        evaluator=evaluator,
        is_primary=is_primary,
        lower_is_better=is_turned,
        standing=comparison.figures.standing_in_words(evaluator),
        figure=comparison.evaluators.headline_title(evaluator.pk) or "Mean",
        what=_what(comparison, evaluator),
        is_share=is_share,
        n=max((paired.n for paired in entries.values()), default=0),
        axis=axis_labels(axis, written=points if is_share else signed),
        rows=[
            replace(
                _row(
                    comparison, side, ranks.get(id(side), ""), *means[id(side)], entries.get(id(side)), axis
                ),
                unread=unread[id(side)],
            )
            for side in comparison.best_first
        ],
    )


def _row(
    comparison: Comparison,
    side: Side,
    rank: str,
    mean: float | None,
    n: int,
    paired: Difference | None,
    axis: Axis,
) -> Row:
    plot = SafeString("")  # of a variant that has no difference
    if paired is None:
        plot = baseline_plot(axis, height=HEIGHT, grid=True)
    elif paired.difference is not None:
        plot = range_plot(axis, _range(paired), height=HEIGHT, grid=True)
    return Row(comparison.sides.label(side.run), rank, mean, n, paired, plot)


def _range(paired: Difference) -> Range:
    low, high = paired.shown_interval or (None, None)
    return Range(low, paired.difference, high)


def _ranks(comparison: Comparison) -> dict[int, str]:
    """The rank of each variant, by the id of its side."""
    return {id(ranked.side): ranked.rank_text for ranked in comparison.figures.ranking}


def _answered(comparison: Comparison) -> list[Answered]:
    if comparison.evaluators.primary is None:
        return []
    measures = comparison.figures.measures
    kinds = units(comparison.sides.experiment.project.currency)
    took = [(unit, measure) for name, unit in kinds.items() if (measure := measures.measure(name))]
    return [
        Answered(
            comparison.sides.label(side.run),
            measures.answered[index],
            measures.examples[index],
            [(unit.title, unit.written(measure.means[index])) for unit, measure in took],
        )
        for side in comparison.best_first
        for index in [comparison.sides.every.index(side)]
    ]
