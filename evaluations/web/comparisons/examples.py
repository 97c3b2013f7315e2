"""The list of examples on the page of a comparison, largest regressions first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import corners, examples, gains
from evaluations.comparisons.examples.examples import Compared, ComparedPage, Question
from evaluations.comparisons.examples.lacking import OF_UNANSWERED
from evaluations.models import Experiment, Run
from evaluations.numerals import grouped
from evaluations.results import exports, filter_params
from evaluations.results.rows import as_counted
from evaluations.statistics.ordering import Indices
from evaluations.statistics.terms import Mask

from ..page_tools import searches, url_values
from ..page_tools.frame import Context
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from ..page_tools.url_values import Segment
from . import pair
from .example_rows import example_rows
from .example_selection import ExampleSelection
from .verdicts.fourfold import table

SIZE = 25
LETTERS = 123  # in the bar of filters, which fit into one line of a page of 80 rem beside its fields
WORDS = {"same": "tied", "unscored": "not scored", "missing": "without a score", "empty": "no output"}
NOT_RATED = "not rated"
ABOUT = {
    "unanswered": "The output is missing or failed",
    "failed": "Of the unanswered: the answer came with an error",
    "empty": "Of the unanswered: there is no output",
    "unread": "An answer came, and the evaluator found nothing in it to score",
    "errors": "The scoring failed",
    "unscored": "There is no score yet, or nothing to score by",
}
ALWAYS = ("all", "worse", "better", "same")
AMONG = ("unanswered", "unread")
AS_WORST = "; it counts as worst"
NARROWING = {"show", "only", "square", "least"}  # parameters that filter examples by their scores or outputs
CARRIED_PARAMETERS = (
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
    "disagreements",
    "corpus",
    "by",
    "subsets",
    "subset_variant",
)


def is_among(counts: Mapping[str, int]) -> bool:
    """Whether examples without a score count as worst, so that they are worse, better or tied as well."""
    apart = sum(counts[outcome] for outcome in ("worse", "better", "same", "errors", "unscored", "sealed"))
    return apart == counts["all"]


@dataclass(frozen=True)
class Side:
    """A column of the examples; the second column is compared with the first."""

    run: Run
    name: str
    repeats: int
    is_baseline: bool


@dataclass(frozen=True)
class Square:
    """The selected square of the scatter, in words, and the address without it."""

    words: str
    address: str


@dataclass(frozen=True)
class Listing:
    """The examples of `shown`: the whole comparison, or two `chosen` variants of it."""

    request: HttpRequest
    comparison: Comparison
    chosen: tuple[Run, Run] | None
    shown: Comparison
    selection: ExampleSelection

    @classmethod
    def from_request(cls, request: HttpRequest, comparison: Comparison) -> "Listing":
        chosen = pair.choose(request, comparison) if len(comparison.sides) > 2 else None
        shown = pair.compare(comparison, *chosen) if chosen else comparison
        return cls(request, comparison, chosen, shown, ExampleSelection.from_request(request, shown))

    def slots_in(self, experiment: Experiment) -> Mask:
        """The mask of all examples in the list, by slots of the experiment's version."""
        return examples.slots_in_experiment(self.shown, self._whole_question, experiment)

    def positions_in(self, experiment: Experiment) -> Indices:
        """The positions of all examples in the list, in its order."""
        return examples.positions_in_order(self.shown, self._whole_question, experiment)

    @property
    def _whole_question(self) -> Question:
        return replace(self.selection.question, searched=None)

    def examples(self) -> Context:
        request, selection, page = self.request, self.selection, self._page()
        rows = [self._as_counted(one) for one in page.rows]
        segments = self._segments(page.counts)
        previous, following = url_values.neighbour_pages(request, page.before, page.after)
        return {
            "selection": selection,
            "sides": self._sides(),
            "pair": self.chosen,
            "variants": [(side.run, self.comparison.sides.label(side.run)) for side in self.comparison.sides],
            **segments,
            "has_two_lines": bool(self.chosen) and self._bar_letters(segments) > LETTERS,
            "square": self._square(),
            "everything": page.everything,
            "diffs": self._diffs(),
            "examples": example_rows(request, self.shown, selection, rows, self._strips(page)),
            "hidden_fields": url_values.parameters(
                request, only={*CARRIED_PARAMETERS, *filter(filter_params.is_filter, request.GET)}
            ),
            "searched": searches.told(request, selection.searched),
            "total": page.total,
            "most_ordered": exports.MOST_ORDERED,
            "first": page.first,
            "last": page.first + len(page.rows) - 1,
            "previous": previous,
            "next": following,
        }

    def _as_counted(self, example: Compared) -> Compared:
        scorings = [self.shown.sides.scorings[side.run] for side in self.shown.sides]
        rows = zip(example.rows, scorings, strict=True)
        return replace(example, rows=[as_counted(row, of_run) for row, of_run in rows])

    def _sides(self) -> list[Side]:
        baseline = self.comparison.sides.baseline.run
        return [
            Side(side.run, self.comparison.sides.label(side.run), len(side.runs), side.run == baseline)
            for side in self.shown.sides
        ]

    def _diffs(self) -> list[tuple[str, str, str]]:
        """The choices for what outputs are compared with."""
        is_baseline = self.shown.sides.baseline.run == self.comparison.sides.baseline.run
        words = {"baseline": "baseline" if is_baseline else "each other", "expected": "reference"}
        opened = self.selection.opened
        return [
            (mode, words.get(mode, mode), address(self.request, diff=mode, open=opened))
            for mode in self.selection.diffs
        ]

    def _page(self) -> ComparedPage:
        after, before = url_values.cursor(self.request, "after"), url_values.cursor(self.request, "before")
        return examples.examples(
            self.shown,
            self.selection.question,
            SIZE,
            after=after,
            before=before,
            at=self.selection.opened,
        )

    def _strips(self, page: ComparedPage) -> dict[int, list[pair.StripScore]]:
        if self.chosen is None:
            return {}
        positions = [row.position for row in page.rows]
        return pair.strips(self.request, self.comparison, self.selection.evaluator, self.chosen, positions)

    def _segments(self, counts: dict[str, int]) -> Context:
        """The segments, of which each example is in one; `among` them are those that count as worst."""
        outcomes, shown = self.selection.outcomes, self.selection.show
        among = [one for one in AMONG if is_among(counts)]
        outcomes = [one for one in outcomes if one not in OF_UNANSWERED]
        listed: list[Segment] = []
        for outcome in outcomes:
            is_told = outcome in ALWAYS or counts[outcome] or shown == outcome
            if outcome == "same" and shown != "same" and (ties := self._two_ties(counts["same"])):
                listed += ties
            elif outcome not in among and is_told:
                listed.append(self._segment(outcome, counts))
        marked = [self._segment(one, counts, AS_WORST) for one in among if counts[one] or shown == one]
        return {"segments": listed, "among": marked, "of_unanswered": self._of_unanswered(counts)}

    def _bar_letters(self, segments: Context) -> int:
        """About how many letters the segments and the menus of the bar take, with those that their edges are wide."""
        told = (one for group in segments.values() for one in group)
        names = 2 * (max(map(len, self.comparison.sides.narrow_names.values())) + 5)
        evaluator = min(len(self.selection.evaluator.name), 20) + 5
        return sum(len(one.word) + len(grouped(one.count)) + 4 for one in told) + names + evaluator

    def _of_unanswered(self, counts: dict[str, int]) -> list[Segment]:
        """The unanswered examples told apart, where both kinds occur."""
        is_told = all(map(counts.__getitem__, OF_UNANSWERED)) or self.selection.show in OF_UNANSWERED
        return [self._segment(one, counts) for one in OF_UNANSWERED] if is_told else []

    def _segment(self, outcome: str, counts: dict[str, int], more: str = "") -> Segment:
        selection = self.selection
        is_current = outcome == selection.show and (outcome != "all" or selection.square is None)
        to_outcome = address(self.request, show=None if outcome == "all" else outcome, **RESET)
        about = self._about_ties() if outcome == "same" else ABOUT.get(outcome, "") + more
        return Segment(self._word(outcome), counts[outcome], to_outcome, is_current, about=about)

    def _word(self, outcome: str) -> str:
        is_rated = self.shown.evaluators.is_rated(self.selection.evaluator.pk)
        return NOT_RATED if outcome == "unscored" and is_rated else WORDS.get(outcome, outcome)

    def _two_ties(self, tied: int) -> list[Segment]:
        """Of two variants by scores of 0 and 1: the ties where both pass, and where neither does."""
        shown, selection = self.shown, self.selection
        if len(shown.sides) != 2 or not tied:
            return []
        evaluator = selection.evaluator
        found = table(
            self.request,
            shown,
            evaluator,
            shown.sides.others[0],
            lambda: corners.remembered(shown, evaluator, 1),
        )
        if found is None or found.both.count + found.neither.count != tied:
            return []
        square = selection.square
        return [
            Segment(word, field.count, field.address, square is not None and bool(square[0]) is passes)
            for word, field, passes in (("both pass", found.both, True), ("neither", found.neither, False))
        ]

    def _about_ties(self) -> str:
        """How near two scores must be to count as tied, which is written nowhere else in sight."""
        entries = self.shown.figures.entries_of(self.selection.evaluator)
        tolerance = entries[0].paired.tie_tolerance if entries else 0.0
        if not tolerance:
            return "The scores are equal"
        return f"The scores differ by at most {tolerance:.4g}, a thousandth of their range"

    def _square(self) -> Square | None:
        square = self.selection.square
        if square is None:
            return None
        index = next(n for n, side in enumerate(self.shown.sides) if side.run == self.selection.run)
        columns, _ = gains.readable(self.shown, self.selection.evaluator)
        edges = examples.squares_of(self.shown, self.selection.evaluator, columns[0], columns[index]).edges
        ranges = [f"{edges[n]:.4g} to {edges[n + 1]:.4g}" for n in square if n < len(edges) - 1]
        if self.shown.evaluators.share(self.selection.evaluator.pk):
            ranges = ["fail" if n == 0 else "pass" for n in square]
        words = f"both {ranges[0]}" if len({*ranges}) == 1 else ", ".join(ranges)
        return Square(words, address(self.request, **RESET))
