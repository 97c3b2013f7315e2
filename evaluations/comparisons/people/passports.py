"""The passport of an automatic evaluator: how often it is right, checked against the labels of people.

Figures of sealed labels are those of the labels as they are now, for a version for which they were opened.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from evaluations import kinds
from evaluations.experiments import about
from evaluations.judges import checks
from evaluations.judges.checks import Known
from evaluations.labelling import sealing
from evaluations.models import Evaluator, EvaluatorVersion, Opening, Run, Unsealing
from evaluations.numerals import grouped, percent, plural
from evaluations.statistics.people.agreement import Agreement, Coefficient, Rate
from evaluations.statistics.people.krippendorff import alpha
from evaluations.statistics.people.lengths import LengthBias, of_length

from . import held as helds
from .held import Held
from .labels import NONE

FEWEST = sealing.FEWEST
FEWEST_OF_CLASS = 5  # answers that people gave a class, of which an error rate is compared
UNCHECKED = "not checked against people"


@dataclass(frozen=True)
class Part:
    """The labels of one part: `answers` labelled, the agreement on them if it may be shown."""

    name: str
    answers: int
    agreement: Agreement | None


@dataclass(frozen=True)
class OfVariant:
    """The agreement on the sealed labels of one run."""

    run: Run
    name: str
    agreement: Agreement


@dataclass(frozen=True)
class Passport:
    """What is known of a version of an evaluator from the labels of a set; the sealed part only where it is open.

    `alone` are the mean verdict of the evaluator and that of people, on the sealed labels. `unequal` names variants on
    which its errors differ clearly from those on the first. `alpha` treats it as one more rater. `no_verdict` of the
    labelled answers have no verdict by it. `known` is what was tried on a judge.
    """

    version: EvaluatorVersion
    label_set: Evaluator
    labels_version: EvaluatorVersion
    classes: list[str]
    threshold: float | None
    parts: list[Part]
    sealed: Agreement | None
    variants: list[OfVariant]
    unequal: list[str]
    peers: Agreement | None
    alpha_of_people: Coefficient
    alpha: Coefficient
    alone: tuple[float, float] | None
    length: LengthBias | None
    no_verdict: int
    openings: list[Opening]
    unsealing: Unsealing | None
    known: Known | None = None

    @property
    def is_held(self) -> bool:
        """Whether this version is checked against people: sealed labels enough, opened for it."""
        return self.sealed is not None and self.sealed.n >= FEWEST

    @property
    def openings_of_version(self) -> int:
        return sum(opening.version_id == self.version.pk for opening in self.openings)

    @property
    def sealed_labels(self) -> int:
        return self.parts[sealing.SEALED].answers

    @property
    def is_worthless(self) -> bool:
        """Whether its agreement beyond chance is not clear: it may guess."""
        kappa = self.sealed.kappa if self.sealed else None
        return self.is_held and (kappa is None or kappa.interval is None or kappa.interval[0] <= 0)

    @property
    def may_guess(self) -> bool:
        """Whether not even the labels that it may have been tuned on show clear agreement beyond chance."""
        tuned = self.parts[sealing.TUNE].agreement
        ends = tuned.kappa.interval if tuned else None
        return not self.is_held and ends is not None and ends[0] <= 0

    @property
    def sentence(self) -> str:
        """What it is worth, in a sentence."""
        if self.sealed is None or not self.is_held:
            return self._unproven
        said = f"{self.version} agrees with people on {_of(self.sealed)} sealed labels{_kappa(self.sealed)}"
        if self.peers is None:
            return f"{said}; no two people labelled the same answer."
        return f"{said}; people agree on {_of(self.peers)}{_kappa(self.peers)}."

    @property
    def _unproven(self) -> str:
        """What is known without sealed labels: how it did on those that it may have been tuned on."""
        tuned = self.parts[sealing.TUNE].agreement
        if tuned is None or tuned.raw.value is None:
            return f"Not known yet: no sealed labels are opened for {self.version}."
        seen = plural(tuned.n, "answer")
        return f"Not proven yet: {percent(tuned.raw.value, 0)} agreement on {seen} it may have been tuned on."

    @property
    def in_short(self) -> str:
        """The sentence in a few words, for the head of a page."""
        if self.sealed is not None and self.is_held:
            return f"agrees on {_of(self.sealed)} sealed labels"
        return f"not proven: {self.tuned}" if self.tuned else UNCHECKED

    @property
    def tuned(self) -> str:
        """The agreement on the labels that it may have been tuned on, which proves nothing; "" without any."""
        tuned = self.parts[sealing.TUNE].agreement
        if tuned is None or tuned.raw.value is None:
            return ""
        return f"{percent(tuned.raw.value, 0)} on {plural(tuned.n, 'answer')}"

    @property
    def lenient(self) -> Rate | None:
        """Of pass and fail, the answers that people fail and it passes."""
        return _missed(self.sealed, 0) if len(self.classes) == 2 else None

    @property
    def strict(self) -> Rate | None:
        """Of pass and fail, the answers that people pass and it fails."""
        return _missed(self.sealed, 1) if len(self.classes) == 2 else None


def _missed(agreement: Agreement | None, k: int) -> Rate | None:
    if agreement is None:
        return None
    rate = agreement.rates[k]
    ends = None if rate.interval is None else (1 - rate.interval[1], 1 - rate.interval[0])
    return Rate(rate.of - rate.count, rate.of, ends)


def _of(agreement: Agreement) -> str:
    return f"{grouped(round(agreement.agreed))} of {grouped(agreement.n)}"


def _kappa(agreement: Agreement) -> str:
    return "" if agreement.kappa.value is None else f" (κ {agreement.kappa.value:.2f})"


def of(version: EvaluatorVersion, label_set: Evaluator) -> Passport:
    """The passport of a version; raises `Invalid` if it cannot be checked against these labels."""
    labelled = helds.labelled_runs(label_set)
    return passport(helds.held(labelled, version))


def label_sets_for(version: EvaluatorVersion) -> list[Evaluator]:
    """The label sets that a version can be checked against."""
    return [found for found in helds.label_sets_of(version.evaluator) if helds.fits(version, found)]


def in_short(version: EvaluatorVersion) -> str:
    """What its passport says in a few words, by the label set that this shows first."""
    label_sets = label_sets_for(version)
    return of(version, label_sets[0]).in_short if label_sets else UNCHECKED


def passport(found: Held) -> Passport:
    labelled = found.labelled
    openings = list(sealing.openings(found.version.evaluator, labelled.label_set))
    is_open = any(opening.version_id == found.version.pk for opening in openings)
    in_sealed = found.in_part(sealing.SEALED)
    scored = found.codes != NONE
    variants = _variants(found) if is_open else []
    return Passport(
        version=found.version,
        label_set=labelled.label_set,
        labels_version=labelled.version,
        classes=labelled.classes.titles,
        threshold=found.threshold,
        parts=[
            _part("write", found, sealing.WRITE, may_show=True),
            _part("tune", found, sealing.TUNE, may_show=True),
            _part("sealed", found, sealing.SEALED, may_show=is_open),
        ],
        sealed=found.agreement(in_sealed) if is_open else None,
        variants=variants,
        unequal=_unequal(variants),
        peers=labelled.peers,
        alpha_of_people=labelled.alpha,
        alpha=_alpha(found) if is_open else Coefficient(None),
        alone=_alone(found) if is_open else None,
        length=_length(found) if is_open else None,
        no_verdict=round(float(labelled.labels.share[~scored].sum())),
        openings=openings,
        unsealing=sealing.unsealing_of(labelled.label_set),
        known=checks.known(found.version) if found.version.kind in kinds.JUDGES else None,
    )


def open_sealed(version: EvaluatorVersion, label_set: Evaluator, user: User | None) -> Passport:
    """Open the sealed labels for a version of an evaluator; raises `Conflict` if there are too few."""
    found = helds.held(helds.labelled_runs(label_set), version)
    agreement = found.agreement(found.in_part(sealing.SEALED))
    with transaction.atomic():
        sealing.open_for(
            version,
            label_set,
            user,
            agreement.n if agreement else 0,
            agreement.agreed if agreement else 0.0,
        )
    return passport(found)


def is_held(version: EvaluatorVersion, label_set: Evaluator) -> bool:
    """Whether a version has a passport by these labels."""
    return sealing.is_open(version, label_set)


def _part(name: str, found: Held, number: int, *, may_show: bool) -> Part:
    mask = found.in_part(number)
    scored = mask & (found.codes != NONE)
    answers = round(float(found.labelled.labels.share[scored].sum()))
    return Part(name, answers, found.agreement(mask) if may_show else None)


def _variants(found: Held) -> list[OfVariant]:
    runs = found.labelled.runs
    by_run = [
        (run, found.agreement(found.in_part(sealing.SEALED) & (found.labelled.labels.run == index)))
        for index, run in enumerate(runs)
    ]
    return [OfVariant(run, about.label(run, runs), agreement) for run, agreement in by_run if agreement]


def _unequal(variants: Sequence[OfVariant]) -> list[str]:
    """Variants on which an error rate differs from that on the first by more than their intervals allow."""
    if not variants:
        return []
    first = variants[0]
    return [
        other.name
        for other in variants[1:]
        if any(_differ(a, b) for a, b in zip(first.agreement.rates, other.agreement.rates, strict=True))
    ]


def _differ(one: Rate, other: Rate) -> bool:
    """Newcombe's interval (1998) of the difference of two rates excludes zero, and neither rests on a few answers."""
    if min(one.of, other.of) < FEWEST_OF_CLASS:
        return False
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return False
    difference = other.value - one.value
    low = difference - np.hypot(other.value - other.interval[0], one.interval[1] - one.value)
    high = difference + np.hypot(other.interval[1] - other.value, one.value - one.interval[0])
    return bool(low > 0 or high < 0)


def _alpha(found: Held) -> Coefficient:
    """Krippendorff's α of all raters of the sealed answers, the evaluator among them."""
    labelled = found.labelled
    row = np.full(labelled.ratings.shape[1], np.nan)
    known = (found.codes != NONE) & found.in_part(sealing.SEALED)
    values = np.array(labelled.classes.values)
    row[labelled.labels.answer[known]] = values[found.codes[known]]
    return alpha(np.vstack([labelled.ratings, row]), labelled.level)


def _alone(found: Held) -> tuple[float, float] | None:
    """The mean verdict of the evaluator and that of people; None for labels without numbers."""
    labels, classes = found.labelled.labels, found.labelled.classes
    mask = found.in_part(sealing.SEALED) & (found.codes != NONE)
    if not mask.any():
        return None
    weights = labels.share[mask]
    judged = np.array(classes.values)[found.codes[mask]]
    return float(np.average(judged, weights=weights)), float(np.average(labels.value[mask], weights=weights))


def _length(found: Held) -> LengthBias | None:
    labels = found.labelled.labels
    if len(found.labelled.classes.values) != 2:
        return None
    _, first = np.unique(labels.answer, return_index=True)  # one entry for each answer
    people = np.bincount(labels.answer, labels.value * labels.share)
    mask = found.in_part(sealing.SEALED)[first] & (found.codes[first] != NONE)
    chosen = first[mask]
    return of_length(
        found.codes[chosen].astype(np.float64),
        people[labels.answer[chosen]],
        helds.lengths(found.labelled)[chosen],
    )
