"""What the page of a comparison shows: verdict, table, and examples with the largest regressions first."""

from dataclasses import dataclass
from typing import TypedDict

from django.http import HttpRequest

from evaluations.comparisons import examples
from evaluations.comparisons import subsets as searching
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import Alignment, ComparedPage
from evaluations.comparisons.warnings import ABOUT_INTERVALS, WHOLE_REFERENCE, Warning
from evaluations.experiments.about import Difference, differences
from evaluations.models import Run
from evaluations.results import filter_params
from evaluations.scoring.columns import Slots

from . import filters, pair
from .example_rows import ExampleRow, example_rows
from .example_selection import ExampleSelection
from .filters import Segment
from .paging import RESET, address
from .statistics_page import Statistics, statistics
from .verdicts import among as filtered
from .verdicts.agreement import Agreement, agreement
from .verdicts.averages import Average, averages
from .verdicts.corpus import Corpus, corpus
from .verdicts.duel import Duel, duel
from .verdicts.ranking import Ranking, ranking
from .verdicts.subsets import Subsets, subsets
from .verdicts.taken import Taken, taken

SIZE = 25
WORDS = {"same": "tied"}
KEPT = (
    "runs",
    "baseline",
    "split",
    "cluster",
    "missing",
    "repeats",
    "square",
    "show",
    "diff",
    "details",
    "evaluators",
    "x",
    "across",
    "agreement",
    "corpus",
    "by",
    "subsets",
)


@dataclass(frozen=True)
class Baselines:
    """The baseline of this view, and the choices with name, address and whether it is the current one."""

    current: str
    variant: str
    is_default: bool
    choices: list[tuple[str, str, bool]]


@dataclass(frozen=True)
class Side:
    """A column of the examples; the first is the one that the other is compared with."""

    run: Run
    name: str
    repeats: int
    is_baseline: bool


@dataclass(frozen=True)
class Square:
    """The square of the scatter that is shown, in words, and the address without it."""

    words: str
    address: str


class Examples(TypedDict):
    """The list of examples; of three variants or more, two (`pair`) stand side by side."""

    selection: ExampleSelection
    sides: list[Side]
    pair: tuple[Run, Run] | None
    variants: list[tuple[Run, str]]
    segments: list[Segment]
    square: Square | None
    everything: int
    diffs: list[tuple[str, str, str]]  # mode, words, address
    examples: list[ExampleRow]
    kept: list[tuple[str, str]]
    total: int
    first: int
    last: int
    previous: str | None
    next: str | None


class ComparisonPage(Examples):
    """One of `ranking`, `duel` and `averages` is set, by the number of variants.

    `differing` is what the makers of the variants say differs between those in `differing_variants`.
    """

    differing: list[Difference]
    differing_variants: list[str]
    comparison: Comparison
    warnings: list[Warning]
    whole_references: list[str]
    details: Statistics | None
    ranking: Ranking | None
    duel: Duel | None
    averages: list[Average]
    taken: Taken | None
    agreement: Agreement | None
    corpus: Corpus | None
    among: filtered.Among | None
    split_choices: list[tuple[str, str, bool]]
    subsets: Subsets | None
    subsets_address: str
    baselines: Baselines
    missing_address: str
    cluster_address: str
    link: str


def comparison_page(request: HttpRequest, comparison: Comparison) -> ComparisonPage:
    listing = _Listing.from_request(request, comparison)
    variants = len(comparison.sides)
    runs = [side.run for side in comparison.sides]
    return ComparisonPage(
        comparison=comparison,
        warnings=_warnings(comparison),
        whole_references=[one["message"] for one in comparison.warnings if one["code"] == WHOLE_REFERENCE],
        details=statistics(request, comparison, listing.known_columns),
        ranking=ranking(request, comparison) if variants > 2 else None,
        duel=duel(request, comparison) if variants == 2 else None,
        averages=averages(request, comparison) if variants == 1 else [],
        taken=taken(request, comparison) if variants > 1 else None,
        differing=differences(runs),
        differing_variants=[comparison.label(run) for run in runs],
        agreement=agreement(request, comparison),
        corpus=corpus(request, comparison),
        among=filtered.among(request, comparison),
        split_choices=filtered.choices(request, comparison),
        **_subsets(request, comparison),
        baselines=_baselines(request, comparison),
        missing_address=address(request, missing=None if comparison.missing == "exclude" else "exclude"),
        cluster_address=address(request, cluster=None if comparison.cluster == "none" else "none"),
        link=request.build_absolute_uri(),
        **listing.examples(),  # Last, because the tables above have read the scores that it shows.
    )


class _Subsets(TypedDict):
    subsets: Subsets | None
    subsets_address: str


def _subsets(request: HttpRequest, comparison: Comparison) -> _Subsets:
    """Those that are known, or that this request asks for; else the address that does."""
    is_asked = request.htmx.target == "subsets" or "subsets" in request.GET
    search = searching.search(comparison, comparison.primary) if is_asked else searching.known(comparison)
    may_wait = (
        search is None and comparison.others and not any(run.status in Run.OPEN for run in comparison.runs)
    )
    return _Subsets(
        subsets=subsets(request, comparison, search),
        subsets_address=address(request, subsets="search") if may_wait else "",
    )


def _warnings(comparison: Comparison) -> list[Warning]:
    """Those that stand nowhere else; sentences speak about unanswered examples and clusters."""
    mentioned = ("missing_outputs", *ABOUT_INTERVALS) if comparison.others else ()
    elsewhere = (WHOLE_REFERENCE, *mentioned)
    return [warning for warning in comparison.warnings if warning["code"] not in elsewhere]


def _baselines(request: HttpRequest, comparison: Comparison) -> Baselines:
    current = comparison.baseline.run
    return Baselines(
        current=comparison.label(current),
        variant=current.variant,
        is_default=current.variant == comparison.experiment.baseline,
        choices=[
            (
                comparison.label(side.run),
                address(request, **(RESET | {"baseline": side.run.pk, "variant": None, "with": None})),
                side is comparison.baseline,
            )
            for side in comparison.sides
        ],
    )


@dataclass(frozen=True)
class _Listing:
    """The examples of `shown`: the whole comparison, or the two variants `chosen` of three or more."""

    request: HttpRequest
    comparison: Comparison
    chosen: tuple[Run, Run] | None
    shown: Comparison
    selection: ExampleSelection
    aligned: Alignment

    @classmethod
    def from_request(cls, request: HttpRequest, comparison: Comparison) -> "_Listing":
        chosen = pair.choose(request, comparison) if len(comparison.sides) > 2 else None
        shown = pair.compare(comparison, *chosen) if chosen else comparison
        selection = ExampleSelection.from_request(request, shown)
        aligned = Alignment(shown, selection.evaluator, selection.run)
        return cls(request, comparison, chosen, shown, selection, aligned)

    @property
    def known_columns(self) -> dict[int, list[Slots]]:
        """Columns of the whole comparison that were read already, by evaluator."""
        return {} if self.chosen else {self.selection.evaluator.pk: self.aligned.columns}

    def examples(self) -> Examples:
        request, selection, page = self.request, self.selection, self._page()
        previous, following = filters.neighbour_pages(request, page.before, page.after)
        return Examples(
            selection=selection,
            sides=self._sides(),
            pair=self.chosen,
            variants=[(side.run, self.comparison.label(side.run)) for side in self.comparison.sides],
            segments=self._segments(page.counts),
            square=self._square(),
            everything=page.counts["all"],
            diffs=self._diffs(),
            examples=example_rows(request, self.shown, selection, page.rows, self._strips(page)),
            kept=filters.kept(request, only={*KEPT, *filter(filter_params.is_filter, request.GET)}),
            total=page.total,
            first=page.first,
            last=page.first + len(page.rows) - 1,
            previous=previous,
            next=following,
        )

    def _sides(self) -> list[Side]:
        baseline = self.comparison.baseline.run
        return [
            Side(side.run, self.comparison.label(side.run), len(side.runs), side.run == baseline)
            for side in self.shown.sides
        ]

    def _diffs(self) -> list[tuple[str, str, str]]:
        """What the outputs can be compared with."""
        is_baseline = self.shown.baseline.run == self.comparison.baseline.run
        words = {"baseline": "baseline" if is_baseline else "each other", "expected": "reference"}
        opened = self.selection.opened
        return [
            (mode, words.get(mode, mode), address(self.request, diff=mode, open=opened))
            for mode in self.selection.diffs
        ]

    def _page(self) -> ComparedPage:
        after, before = filters.cursor(self.request, "after"), filters.cursor(self.request, "before")
        return examples.examples(
            self.shown,
            self.selection.question,
            SIZE,
            after=after,
            before=before,
            aligned=self.aligned,
            at=self.selection.opened,
        )

    def _strips(self, page: ComparedPage) -> dict[int, list[pair.StripScore]]:
        if self.chosen is None:
            return {}
        positions = [row.position for row in page.rows]
        return pair.strips(self.request, self.comparison, self.selection.evaluator, self.chosen, positions)

    def _segments(self, counts: dict[str, int]) -> list[Segment]:
        show = self.selection.show
        return [
            Segment(
                WORDS.get(outcome, outcome),
                counts[outcome],
                address(self.request, show=None if outcome == "all" else outcome, **RESET),
                outcome == show,
            )
            for outcome in self.selection.outcomes
            if outcome != "missing" or counts["missing"] or show == "missing"
        ]

    def _square(self) -> Square | None:
        square = self.selection.square
        if square is None:
            return None
        place = next(n for n, side in enumerate(self.shown.sides) if side.run == self.selection.run)
        columns = self.aligned.columns
        edges = examples.squares_of(self.shown, self.selection.evaluator, columns[0], columns[place]).edges
        ranges = [f"{edges[n]:.4g} to {edges[n + 1]:.4g}" for n in square if n < len(edges) - 1]
        return Square(", ".join(ranges), address(self.request, **RESET))
