"""Rows of lists of experiments: the short verdict, and the difference behind it."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.charts import Axis, axis_labels, points, range_plot
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.entries import Entry
from evaluations.comparisons.overviews import Overview
from evaluations.comparisons.rows import FAILED, computed
from evaluations.launches import going, states
from evaluations.launches.following import STOPPED
from evaluations.launches.going import Going
from evaluations.models import Run
from evaluations.statistics import questions
from evaluations.statistics.sentences import MOST_TIED_NAMED, Part

from ...page_tools.paging import extended
from .changes import Change, common_axis

HEIGHT, AXIS_HEIGHT = 48, 16
FEWEST = 6  # examples that a verdict takes
REACHES = (0.1, 0.2, 0.5)  # half the axis for scores from 0 to 1; with more, an interval is a dot
FIRST = 8  # rows that choose the axis: those of the front page, so that the list has the same
DECIDED, OPEN = (
    0.75,
    0.6,
)  # share of the rows with and without a verdict that it covers; arrows mark what is beyond


@dataclass(frozen=True)
class Row:
    """`change` is the best variant's difference from the default baseline; None without a comparison.

    If the baseline itself is the best of several, `change` is that of the second best; `whose` names its variant where
    several are tied for best, and `tied` all of these where the verdict only counts them. `terms` say what is compared;
    `answer` is yes, no or not yet clear, where the name of the experiment asks that; `silence` says why there is no
    verdict. `going` is the work in progress. Of an experiment whose runs stopped, so many examples were `answered`
    before.
    """

    overview: Overview
    address: str
    parts: Sequence[Part] = ()
    silence: str = ""
    terms: str = ""
    answer: str = ""
    change: Change | None = None
    whose: str = ""
    tied: Sequence[str] = ()
    plot: str = ""
    named_subsets: Mapping[str, str] = field(default_factory=dict)
    going: Going | None = None
    answered: int = 0

    @property
    def says_answer(self) -> bool:
        """Whether `answer` says more than the verdict: it says "no clear difference" or "not confirmed" itself."""
        return bool(self.answer) and self.answer != questions.UNCLEAR


@dataclass(frozen=True)
class Table:
    """The rows of a list, and the labels of the axis that their plots share."""

    rows: list[Row]
    axis: SafeString


def table(
    overviews: Sequence[Overview],
    in_progress: Mapping[int, Going] | None = None,
    alone: Sequence[Overview] = (),
) -> Table:
    """The rows; one that cannot be computed says so. `in_progress` by experiment, if it was read before.

    Those `alone` in their line choose the axis, if there are any: so it stays as it is when a series is opened.
    """
    changes = [
        computed(partial(change_of, o), lambda: None, f"experiment {o.experiment.pk}") for o in overviews
    ]
    chosen = {id(o) for o in alone} or {id(o) for o in overviews}
    pairs = [(o, change) for o, change in zip(overviews, changes, strict=True) if id(o) in chosen]
    end = _reach([o for o, _ in pairs], [change for _, change in pairs])
    found = in_progress
    if found is None:
        found = going.of_experiments({o.experiment.pk: o.going for o in overviews if o.going})
    answered = _answered([o for o in overviews if _has_stopped(o)])
    rows = [
        replace(
            computed(partial(_row, o, change, end), partial(_failed, o), f"experiment {o.experiment.pk}"),
            going=found.get(o.experiment.pk),
            answered=answered.get(o.experiment.pk, 0),
        )
        for o, change in zip(overviews, changes, strict=True)
    ]
    shared = [change for o, change in zip(overviews, changes, strict=True) if change and _is_shared(o)]
    units = {change.is_share for change in shared} or {False}
    return Table(rows, _labels(Axis(-end, end), units))


def _labels(axis: Axis, units: set[bool]) -> SafeString:
    """The labels in the units of the rows: in points, as scores, or one below the other, because 10 points are 0.1."""
    ends = axis.low, 0.0, axis.high
    in_points = [axis_labels(axis, ends, written=_in_points)] if True in units else []
    as_scores = [axis_labels(axis, ends[:: 2 if in_points else 1])] if False in units else []
    return format_html_join("", "{}", ([labels] for labels in (*in_points, *as_scores)))


def _in_points(value: float, decimals: int) -> str:
    return f"{points(value, decimals)} points"


def change_of(overview: Overview) -> Change | None:
    """The best variant's difference from the baseline."""
    comparison, primary = overview.comparison, overview.primary
    if overview.entry is None or comparison is None or primary is None:
        return None
    return Change.from_paired(overview.entry.paired, is_share=comparison.evaluators.is_share(primary.pk))


def _failed(overview: Overview) -> Row:
    return Row(overview, reverse("experiment-detail", args=[overview.experiment.pk]), silence=FAILED)


def _reach(overviews: Sequence[Overview], changes: Sequence[Change | None]) -> float:
    """Half of the shared axis: it holds most differences that are better or worse, else most intervals of the others.

    The first rows choose it, so that the front page and the list draw them alike. One large difference does not make
    dots of all other intervals. Differences over fewer examples than a verdict takes count only where no others are.
    """
    every = [(o, change) for o, change in zip(overviews, changes, strict=True) if change and _is_shared(o)]
    first = {id(o) for o in overviews[:FIRST]}
    pairs = [(o, change) for o, change in every if id(o) in first] or every
    decided = [abs(c.difference or 0.0) for _, c in pairs if c.verdict in ("better", "worse")]
    enough = [change for o, change in pairs if o.entry and o.entry.paired.n >= FEWEST]
    intervals = [change.range.values for change in enough or [change for _, change in pairs]]
    sizes = sorted(decided or (max(map(abs, values), default=0.0) for values in intervals))
    covered = sizes[math.ceil((DECIDED if decided else OPEN) * len(sizes)) - 1] if sizes else 0.0
    return next((end for end in REACHES if covered <= end), REACHES[-1])


def _is_shared(overview: Overview) -> bool:
    comparison, primary = overview.comparison, overview.primary
    if comparison is None or primary is None or comparison.evaluators.lower_is_better(primary.pk):
        return False  # right of the zero line would be a fall on an axis that says rise
    return comparison.evaluators.bounds(primary.pk) == (0, 1)


def _row(overview: Overview, change: Change | None, end: float) -> Row:
    address = reverse("experiment-detail", args=[overview.experiment.pk])
    entry, comparison, primary = overview.entry, overview.comparison, overview.primary
    if change is None or entry is None or comparison is None or primary is None:
        return Row(overview, address, silence=_silence(overview))
    is_shared = _is_shared(overview)
    axis = Axis(-end, end) if is_shared else common_axis(comparison, primary, [change])
    return Row(
        overview,
        address,
        comparison.sentence.brief,
        answer="" if overview.going else _answer(overview, change),
        terms=", ".join(_terms(overview, comparison, entry, primary.name)),
        change=change,
        whose=_whose(comparison, entry),
        tied=_tied(comparison),
        plot=range_plot(axis, change.range, height=HEIGHT, grid=True)
        if is_shared
        else _on_its_own_axis(axis, change),
        named_subsets=_addresses(address, comparison.sentence.named_subsets),
    )


def _on_its_own_axis(axis: Axis, change: Change) -> SafeString:
    """A row of scores beyond 0 to 1, with the labels of its axis below, because the head of the table has others."""
    drawn = range_plot(axis, change.range, height=HEIGHT - AXIS_HEIGHT)
    ends = sorted({axis.ticks[0], 0.0, axis.ticks[-1]}) if axis.ticks else [0.0]
    return format_html("{}{}", drawn, axis_labels(axis, ends))


def _answer(overview: Overview, change: Change) -> str:
    if overview.comparison is None or change.verdict == "none":
        return ""  # a comparison without a verdict answers nothing, not even "not yet"
    if _are_tied(overview.comparison) or not _is_asked_about(overview.experiment.name, overview.comparison):
        return ""  # what the verdict is about may lack what the question is about
    confirmation = overview.comparison.sentence.confirmation
    if confirmation and not confirmation.is_confirmed:
        return questions.answer(overview.experiment.name, "cannot_tell")
    is_equivalent = change.equivalence == "equivalent"
    return questions.answer(overview.experiment.name, change.verdict, is_equivalent=is_equivalent)


def _is_asked_about(question: str, comparison: Comparison) -> bool:
    """Whether the verdict on the best variant answers a question: of more than two it must name that one.

    A question about a subset on which the verdict is another one is not answered.
    """
    others = [label for role, label in comparison.sentence.brief if role == "subset"]
    if questions.names_one_of(question, others):
        return False
    ranking = comparison.figures.ranking
    if len(comparison.sides) < 3 or not ranking:
        return True
    return questions.named(question, comparison.sides.labels) == comparison.sides.label(ranking[0].side.run)


def _silence(overview: Overview) -> str:
    if overview.going:
        return ""
    if not overview.shown:
        return "No runs yet"
    if _has_stopped(overview):
        return "Failed" if any(run.status == Run.Status.FAILED for run in overview.shown) else "Stopped"
    return "One variant, nothing to compare" if overview.primary else "Not scored yet"


def _has_stopped(overview: Overview) -> bool:
    return bool(overview.shown) and all(run.status in STOPPED for run in overview.shown)


def _answered(stopped: Sequence[Overview]) -> dict[int, int]:
    """How many answers there are, by experiment: then its launch stopped, and did not fail as a whole."""
    shown = [run for overview in stopped for run in overview.shown]
    found: Counter[int] = Counter()
    for run_id, state in (states.of_runs(shown) if shown else {}).items():
        run = next(one for one in state.run_states if one.run.pk == run_id)
        found[run.run.experiment_id] += run.answered
    return found


def _terms(overview: Overview, comparison: Comparison, entry: Entry, evaluator: str) -> Iterator[str]:
    yield evaluator
    if entry.paired.direction == "minimize":
        yield "lower is better"
    if overview.going:
        yield "preliminary"
    shown = comparison.sides.short_names
    yield f"baseline {shown[comparison.sides.label(comparison.sides.baseline.run)]}"
    ranking, label = comparison.figures.ranking, shown[comparison.sides.label(entry.run)]
    if len(ranking) > 2 and ranking[0].side.run == comparison.sides.baseline.run:
        yield f"next {label}"
    if comparison.sentence.stopped:
        yield "stopped early"


def _whose(comparison: Comparison, entry: Entry) -> str:
    return comparison.sides.narrow_names[comparison.sides.label(entry.run)] if _are_tied(comparison) else ""


def _are_tied(comparison: Comparison) -> bool:
    """Whether several of more than two variants are best, with another than the baseline first."""
    ranking = comparison.figures.ranking
    is_baseline_first = len(ranking) < 3 or ranking[0].side.run == comparison.sides.baseline.run
    return not is_baseline_first and ranking[1].rank[0] == 1


def _tied(comparison: Comparison) -> list[str]:
    """The names of variants tied for best, of which the short verdict says only the number."""
    best = [comparison.sides.label(row.side.run) for row in comparison.figures.ranking if row.rank[0] == 1]
    return best if len(best) > MOST_TIED_NAMED else []


def _addresses(page: str, named_subsets: dict[str, tuple[str, str]]) -> dict[str, str]:
    """The experiment's page filtered by each subset, by label."""
    return {
        label: extended(page, **{f"metadata[{column}]": value})
        for label, (column, value) in named_subsets.items()
    }
