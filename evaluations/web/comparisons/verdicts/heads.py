"""Evaluators as heads of rows or columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import held, peers
from evaluations.kinds.people import people
from evaluations.labelling import raters
from evaluations.models import Evaluator, Scoring

from ...page_tools.paging import RESET, address, number
from ...page_tools.request import HttpRequest
from ...page_tools.texts import short_words


@dataclass(frozen=True)
class Head:
    """An evaluator with the addresses of its examples and statistics; `newer` is a version without scores here.

    `short_name` is without a note in brackets, unless another evaluator has the same name but for it. `figure` is its
    headline, by which variants are compared.
    """

    evaluator: Evaluator
    short_name: str
    versions: str
    figure: str
    lower_is_better: bool
    examples_address: str
    details_address: str
    is_open: bool
    newer: int | None
    n: int
    standing: str = ""  # what is known of a judge, in words: "judge only, not checked against people"
    has_passport: bool = False
    raters: int = 0  # people whose labels these are
    agreed: str = ""  # on how many of the answers that two of them saw they agree
    opinions_of: int | None = None  # the run whose page says how far they agree

    @property
    def facts(self) -> str:
        """What a narrow head has no room for: "v2, lower is better, judge only, not checked against people"."""
        people = f"{self.standing}, who {self.agreed}" if self.agreed else self.standing
        return ", ".join(
            filter(None, [self.versions, "lower is better" if self.lower_is_better else "", people])
        )


def head(request: HttpRequest, comparison: Comparison, evaluator: Evaluator) -> Head:
    versions = sorted({n for side in comparison.sides for n in side.versions(evaluator.pk) if n})
    statistic = comparison.evaluators.headline_title(evaluator.pk)
    is_open = number(request, "details") == evaluator.pk
    label_set = _label_set(comparison, evaluator)
    people_here = raters.who_labelled(label_set.evaluator_version, comparison.sides.runs) if label_set else 0
    return Head(
        evaluator=evaluator,
        short_name=short_words(
            _without_note(evaluator.name, [other.name for other in comparison.evaluators])
        ),
        figure=statistic or "Mean",
        versions=", ".join([*([statistic] if statistic else []), *(f"v{n}" for n in versions)]),
        lower_is_better=comparison.evaluators.lower_is_better(evaluator.pk),
        examples_address=f"{address(request, evaluator=evaluator.pk, **RESET)}#examples",
        details_address=address(request, details=None if is_open else evaluator.pk, x=None)
        + ("" if is_open else "#statistics"),
        is_open=is_open,
        newer=evaluator.version if comparison.evaluators.is_behind(evaluator) else None,
        n=most_pairs(comparison, evaluator),
        standing=comparison.figures.standing_in_words(evaluator),
        has_passport=comparison.figures.standings.get(evaluator.pk) in ("held", "not_held"),
        raters=people_here,
        agreed=_agreed(comparison, evaluator) if people_here > 1 else "",
        opinions_of=label_set.run_id if label_set else None,
    )


def _label_set(comparison: Comparison, evaluator: Evaluator) -> Scoring | None:
    """The first column of people's labels, where the evaluator has such."""
    scoring = comparison.evaluators.scoring(evaluator.pk)
    return scoring if scoring.evaluator_version.kind == people.key else None


def _agreed(comparison: Comparison, label_set: Evaluator) -> str:
    """How far its people agree in this experiment, as their page says it."""
    found = held.labelled_runs(label_set, comparison.sides.experiment).peers
    return peers.in_short(found) if found else ""


def _without_note(name: str, names: Sequence[str]) -> str:
    """The name without what stands in brackets at its end.

    >>> _without_note("Good answer (sample)", ["Good answer (sample)", "Contains"])
    'Good answer'
    >>> _without_note("Good answer (judge)", ["Good answer (judge)", "Good answer"])
    'Good answer (judge)'
    """
    short = name.partition(" (")[0]
    is_alone = sum(other.partition(" (")[0] == short for other in names) == 1
    return short if is_alone and name.endswith(")") else name


def most_pairs(comparison: Comparison, evaluator: Evaluator) -> int:
    """The number of pairs of the variant with the most."""
    return max((entry.paired.n for entry in comparison.figures.entries_of(evaluator)), default=0)
