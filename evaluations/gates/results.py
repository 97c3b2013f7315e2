"""The results of a gate's criteria, and the overall verdict in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluations.numerals import SPACE, grouped, plural
from evaluations.statistics.terms import Interval
from evaluations.statistics.wording import reach
from evaluations.values import Direction

from .criteria import Criterion
from .wording import shown

Verdict = Literal["pass", "fail", "inconclusive"]
BESIDES = (
    "criterion",
    "evaluator",
    "is_share",
    "is_of_examples",
    "is_bound",
    "unchanged",
)  # fields of a result that are stored in other words
MANY_TIMES = 10  # more examples than this many times those measured are no plan


@dataclass(frozen=True)
class Result:
    """A criterion with its result. `measured` is the run's figure, `interval` the joint one at 95 %.

    `interval_90` is compared with a margin. `positions` are those of the first new failures. With `is_share` means are
    per cent, differences points; with `is_of_examples` they are of whole examples, whose scores are only 0 and 1. With
    `is_bound` so few examples differ that the intervals are bounds. Of the baseline itself, `unchanged` is how far from
    0 the interval of a run with the same scores reaches.
    """

    criterion: Criterion
    title: str
    verdict: Verdict
    evaluator: str = ""
    direction: Direction | None = None
    measured: float | None = None
    baseline: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    interval_90: Interval | None = None
    n: int | None = None
    examples_needed: int | None = None
    reason: str = ""
    positions: Sequence[int] = ()
    is_share: bool = False
    is_of_examples: bool = False
    is_bound: bool = False
    unchanged: float | None = None

    def as_dict(self) -> dict[str, Any]:
        criterion = self.criterion
        evaluator = {"id": criterion.evaluator, "name": self.evaluator} if criterion.evaluator else None
        fields = {name: value for name, value in vars(self).items() if name not in BESIDES}
        return {
            "rule": criterion.rule,
            "evaluator": evaluator,
            "value": criterion.value,
            "margin": criterion.margin,
            "figure": criterion.figure if criterion.rule in ("at_least", "at_most") else None,
            "words": self.words,
            "baseline_words": self.baseline_words,
            **fields,
            "positions": list(self.positions),
        }

    @property
    def words(self) -> str:
        """The measured figure, as “−0.043 (−0.071 to −0.015)”; with a margin also the interval compared with it."""
        if self.reason:
            return self.reason.removesuffix(".")
        figure = self.measured if self.difference is None else self.difference
        is_mean = self.difference is None
        return f"{shown(self.criterion, figure, is_share=self.is_share, is_mean=is_mean)}{self._around}"

    @property
    def baseline_words(self) -> str:
        """The baseline's figure with its unit."""
        return shown(self.criterion, self.baseline, is_share=self.is_share, is_mean=True)

    @property
    def _around(self) -> str:
        bound = "a bound, as few examples differ: " if self.is_bound else ""
        if self.criterion.rule == "not_worse" and self.interval_90:
            # an exact test of few changes has no critical value between the two levels
            both = " and 95" if self.interval_90 == self.interval and self.difference else ""
            reached = reach(self.interval_90, in_points=self.is_share)
            return f" ({bound}{reached}, 90{both}{SPACE}% interval)"
        return f" ({bound}{reach(self.interval, in_points=self.is_share)})" if self.interval else ""


def overall(results: Sequence[Result]) -> Verdict:
    """FAIL if one criterion fails, else INCONCLUSIVE if one is open, else PASS."""
    verdicts = {result.verdict for result in results}
    return "fail" if "fail" in verdicts else "inconclusive" if "inconclusive" in verdicts else "pass"


def needed(results: Sequence[Result]) -> int | None:
    """How many more examples would decide all open criteria; None if none is open, or if no number would decide."""
    numbers = [result.examples_needed for result in results if result.verdict == "inconclusive"]
    return max((n for n in numbers if n is not None), default=None) if None not in numbers else None


def sentence(results: Sequence[Result], variant: str, baseline: str) -> str:
    """The verdict in one sentence or two."""
    verdict = overall(results)
    decisive = [result for result in results if result.verdict == verdict]
    listed = "; ".join(_listed(result) for result in decisive[:3])
    more = f"; {len(decisive) - 3} more" if len(decisive) > 3 else ""
    if verdict == "pass":
        return all_met(len(results), variant, baseline)
    if verdict == "fail":
        return f"{variant} fails against {baseline}. {listed}{more}."
    return f"{variant} against {baseline} is inconclusive. {listed}{more}.{_more_examples(decisive)}"


def all_met(criteria: int, variant: str, baseline: str) -> str:
    """What is said of a run that passes."""
    all_of = {1: "the criterion is", 2: "both criteria are"}.get(criteria, f"all {criteria} criteria are")
    return f"{variant} passes against {baseline}: {all_of} met."


def _listed(result: Result) -> str:
    """A criterion with what was measured, in words that are not read as its result: a title may be “better”."""
    if result.reason:
        return f"{result.title}: {result.words}"
    return f"For “{result.title}” it measured {result.words}"


def _more_examples(decisive: Sequence[Result]) -> str:
    """What the criterion that lacks most lacks; nothing if no number of examples would do."""
    number = needed(decisive)
    if number is None:
        return ""
    largest = next(result for result in decisive if result.examples_needed == number)
    words = lacking(largest.criterion.rule, number, largest.n, of=len(decisive))
    return f" {words[:1].upper()}{words[1:]}."


def lacking(rule: str, number: int, n: int | None, of: int = 1) -> str:
    """What an open criterion with `n` examples lacks, which `number` more give it; `of` criteria if there are others.

    The number rests on the measured difference, so it says nothing of which way the criterion is decided, and nothing
    at all where it is many times the examples that the difference was measured on.

    >>> lacking("better", 9000, 80)
    'far too few examples (n = 80)'
    """
    if rule == "examples":
        return f"{plural(number, 'example')} {'is' if number == 1 else 'are'} missing"
    if n and number > MANY_TIMES * n:
        return f"far too few examples (n = {grouped(n)})"
    differences, them = ("difference stays", "it") if of == 1 else ("differences stay", "each")
    more = f"{grouped(number)} more example{'' if number == 1 else 's'} decide{'s' if number == 1 else ''}"
    return f"if the {differences} as measured, about {more} {them} in 4 of 5 cases"
