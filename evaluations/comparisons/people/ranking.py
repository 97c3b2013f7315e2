"""Which automatic evaluator agrees best with people's labels, and how many more labels would tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluations.labelling import sealing
from evaluations.models import EvaluatorVersion
from evaluations.numerals import grouped
from evaluations.statistics.intervals import TAILS
from evaluations.statistics.people import draws, more
from evaluations.statistics.people.agreement import Agreement, Weights, kappa
from evaluations.statistics.terms import Interval, Mask, Values

from . import held as helds
from . import peers
from .held import Held, LabelledRuns
from .labels import NONE

FEWEST = 10  # sealed labels for a ranking
FAR = 20  # times the labels there are, from which more of them are no advice


@dataclass(frozen=True)
class Rival:
    """An evaluator and its agreement on the sealed labels; None for a judge for whom they are not opened."""

    held: Held
    agreement: Agreement | None

    @property
    def version(self) -> EvaluatorVersion:
        return self.held.version

    @property
    def kappa(self) -> float:
        value = self.agreement.kappa.value if self.agreement else None
        return -math.inf if value is None else value


@dataclass(frozen=True)
class Lead:
    """The κ of the first less that of the second on the same labels.

    If it is open, `more` labels decide it in 80 of 100 cases; None if the two said the same of every answer.
    """

    difference: float
    interval: Interval
    more: int | None

    @property
    def is_clear(self) -> bool:
        return not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True)
class AgreesBest:
    """The evaluators, best first, beside people; `labels` sealed answers are labelled."""

    labelled: LabelledRuns
    rivals: list[Rival]
    labels: int
    lead: Lead | None

    @property
    def of_people(self) -> str:
        """How far people agree with each other."""
        return peers.sentence(self.labelled.peers)

    @property
    def sentence(self) -> str:
        """Who agrees best, or how many more labels would tell; labels that agree by chance rank nobody."""
        ranked = [rival for rival in self.rivals if rival.agreement]
        if ranked and self.labelled.peers and peers.is_chance(self.labelled.peers):
            return "No evaluator can be ranked by labels on which people agree no more than by chance."
        if not ranked:
            return "No evaluator can be checked against these labels yet."
        if self.labels < FEWEST:
            needed = grouped(more.to_hold(FEWEST - self.labels, sealing.SHARE))
            return f"Cannot tell: label {needed} more answers; about half of them are sealed."
        first = ranked[0].version.evaluator.name
        if self.lead is None or len(ranked) < 2:
            return f"{first} is the only evaluator that can be checked against these labels."
        if self.lead.is_clear:
            return f"{first} agrees best."
        second = ranked[1].version.evaluator.name
        if self.lead.more is None:
            return f"{first} or {second}: cannot tell; they agree equally well."
        if self.lead.more > FAR * self.labels:
            return f"{first} or {second}: too alike to tell with fewer than {grouped(self.lead.more)} more labels."
        return f"{first} or {second}: cannot tell, label {grouped(self.lead.more)} more."


def of(labelled: LabelledRuns) -> AgreesBest:
    """The evaluators that scored the newest of these runs, by κ on the sealed labels.

    A judge is ranked once its sealed labels are opened: a rubric could be tuned by its rank.
    """
    rivals = [_rival(labelled, version) for version in helds.evaluators_of(labelled)]
    ordered = sorted(rivals, key=lambda rival: -rival.kappa)
    sealed = labelled.labels.part == sealing.SEALED
    answers = round(float(labelled.labels.share[sealed].sum()))
    ranked = [rival for rival in ordered if rival.agreement]
    lead = _lead(ranked, sealed, answers) if len(ranked) > 1 and answers >= FEWEST else None
    return AgreesBest(labelled, ordered, answers, lead)


def _rival(labelled: LabelledRuns, version: EvaluatorVersion) -> Rival:
    found = helds.held(labelled, version)
    may_show = not helds.is_judge(version) or sealing.is_open(version, labelled.label_set)
    return Rival(found, found.agreement(found.in_part(sealing.SEALED)) if may_show else None)


def _lead(ranked: Sequence[Rival], sealed: Mask, answers: int) -> Lead | None:
    """The paired difference of two κ: both tables of a draw come from the same weights."""
    first, second = ranked[0].held, ranked[1].held
    labels, classes = first.labelled.labels, first.labelled.classes
    mask = sealed & (first.codes != NONE) & (second.codes != NONE)
    k = len(classes.values)
    if not mask.any():
        return None
    people = classes.codes(labels.value[mask])
    cells = (people * k + first.codes[mask]) * k + second.codes[mask]
    units = draws.by_cluster(cells, labels.share[mask], labels.example[mask], k**3)
    if len(units) < draws.FEWEST:
        return None
    seen = _difference(units.sum(axis=0, keepdims=True), k, classes.weights)
    drawn = _difference(draws.tables(units), k, classes.weights)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn) or not np.isfinite(seen[0]):
        return None
    low, high = np.quantile(drawn, TAILS).tolist()
    difference = float(seen[0])
    interval = min(low, difference), max(high, difference)
    sealed_answers = more.to_decide(difference, interval, answers)
    return Lead(difference, interval, sealed_answers and more.to_hold(sealed_answers, sealing.SHARE))


def _difference(tables: Values, k: int, weights: Weights) -> Values:
    cubes = tables.reshape(-1, k, k, k)
    return np.asarray(kappa(cubes.sum(axis=3), weights) - kappa(cubes.sum(axis=2), weights))
