"""The examples of a comparison that an address selects, and how their texts are shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.examples import Question
from evaluations.comparisons.examples.gains import ORDERS, OUTCOMES
from evaluations.comparisons.examples.lacking import OF_ONE
from evaluations.models import Evaluator, Run
from evaluations.results.searching import Stretch
from evaluations.short_texts import shortened

from ..page_tools import searches, url_values
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

DIFFS = ("baseline", "expected", "off")
ORDER_WORDS = {
    "drop": "biggest drop first",
    "gain": "biggest gain first",
    "worst": "worst score of {} first",
    "best": "best score of {} first",
    "position": "as in the file",
}
ORDER_WORDS_ALONE = {"drop": "worst first", "best": "best first", "position": "as in the file"}
LONGEST_NAME = 24  # letters of a variant in an order


@dataclass(frozen=True)
class ExampleSelection:
    """A selection of examples by one evaluator's scores; `run` is the selected variant, None for any."""

    evaluator: Evaluator
    run: Run | None
    show: str
    order: str
    search: str
    searched: Stretch | None
    different: bool
    diff: str
    ignore_case: bool
    ignore_space: bool
    characters: bool
    raw: bool
    whole: bool
    inline: bool
    square: tuple[int, int] | None
    least: float
    opened: int | None
    is_alone: bool
    scored: str  # whose scores order them: the variant, if it is one

    @classmethod
    def from_request(cls, request: HttpRequest, comparison: Comparison) -> "ExampleSelection":
        evaluators = url_values.by_evaluator({evaluator: evaluator for evaluator in comparison.evaluators})
        runs = {str(side.run.pk): side.run for side in comparison.sides}
        search, different = searches.text(request), "only" in request.GET
        whole = len(comparison.aligner.positions)
        named = url_values.named(request, "variant", runs)
        run = None if named == comparison.sides.baseline.run else named
        return cls(
            evaluator=url_values.named(request, "evaluator", evaluators) or _telling(comparison),
            run=run,
            show=url_values.choice(request, "show", OUTCOMES, "all"),
            order=url_values.choice(request, "order", ORDERS, "drop"),
            search=search,
            searched=searches.stretch(request, whole) if search or different else None,
            different=different,
            diff=url_values.choice(request, "diff", DIFFS, "baseline" if comparison.sides.others else "off"),
            ignore_case="case" in request.GET,
            ignore_space="space" in request.GET,
            characters="characters" in request.GET,
            raw="raw" in request.GET,
            whole="whole" in request.GET,
            inline="inline" in request.GET,
            square=url_values.square(request, "square") if run else None,
            least=abs(url_values.decimal(request, "least") or 0.0),
            opened=number(request, "open"),
            is_alone=not comparison.sides.others,
            scored=_scored(comparison, run),
        )

    @property
    def question(self) -> Question:
        return Question(
            evaluator=self.evaluator,
            run=self.run,
            outcome=self.show,
            order=self.order,
            search=self.search,
            different=self.different,
            square=self.square,
            least=self.least,
            searched=self.searched,
        )

    @property
    def is_everything(self) -> bool:
        return self.show == "all" and not (self.search or self.different or self.least)

    @property
    def orders(self) -> dict[str, str]:
        """The available orders, in words."""
        words = ORDER_WORDS_ALONE if self.is_alone else ORDER_WORDS
        return {order: said.format(shortened(self.scored, LONGEST_NAME)) for order, said in words.items()}

    @property
    def order_words(self) -> str:
        """The order, short enough for a head: without the name of the variant."""
        words = ORDER_WORDS_ALONE if self.is_alone else ORDER_WORDS
        return words.get(self.order, words["drop"]).replace(" of {}", "")

    @property
    def outcomes(self) -> Sequence[str]:
        """What examples can be narrowed to; "missing", which has all reasons, only where it was."""
        others = ("worse", "better", "same") if self.is_alone else OF_ONE
        return [
            outcome
            for outcome in OUTCOMES
            if outcome not in others and (outcome != "missing" or self.show == outcome)
        ]

    @property
    def diffs(self) -> Sequence[str]:
        return DIFFS[1:] if self.is_alone else DIFFS


def _scored(comparison: Comparison, run: Run | None) -> str:
    """The variant whose scores are meant: the chosen one, of two the other one; else any."""
    others = comparison.sides.others
    if run is None and len(others) != 1:
        return "any variant"
    return comparison.sides.label(run or others[0].run)


def _telling(comparison: Comparison) -> Evaluator:
    """The primary evaluator; if it holds all examples tied, the first other one by which some differ."""
    figures = comparison.figures
    entries = figures.entries_of(figures.primary)
    if not entries or any(
        entry.paired.wins or entry.paired.losses or not entry.paired.n for entry in entries
    ):
        return figures.primary
    others = (
        one
        for one in comparison.evaluators.secondary
        if any(entry.paired.wins or entry.paired.losses for entry in figures.entries_of(one))
    )
    return next(others, figures.primary)
