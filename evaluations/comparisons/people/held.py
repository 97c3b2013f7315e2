"""An automatic evaluator held beside people: what both said about the same answers, one entry for each label."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import Count, Q
from django.db.models.functions import Length
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import identities
from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.kinds.judge import pair_judge
from evaluations.kinds.kind import Family
from evaluations.kinds.people import PeopleConfig, people
from evaluations.kinds.sent import sent
from evaluations.labelling import sealing, sets
from evaluations.models import (
    Evaluator,
    EvaluatorVersion,
    Experiment,
    LabelItem,
    Output,
    Run,
    Scoring,
)
from evaluations.scoring import coverage
from evaluations.short_texts import ended
from evaluations.statistics.people.agreement import Agreement, Coefficient, Weights, of_pairs, of_peers
from evaluations.statistics.people.draws import Codes
from evaluations.statistics.people.krippendorff import Level, alpha
from evaluations.statistics.terms import Mask, Values

from . import given, thresholds
from .labels import NONE, Labels, scores_of

MOST_RUNS = 10
# of an answer beside the other, whichever side it was on
OF_PAIRS = {"worse": 0.0, "tie": 0.5, "better": 1.0}


@dataclass(frozen=True)
class Classes:
    """The answers that people can give, by rising value; answers of one value are one. Those of a scale are ordered."""

    values: list[float]
    titles: list[str]
    weights: Weights

    @classmethod
    def of(cls, config: PeopleConfig) -> "Classes":
        titles: dict[float, list[str]] = {}
        for title, value in (OF_PAIRS if config.answers == "pair" else config.choices).items():
            titles.setdefault(value, []).append(title)
        weights: Weights = "quadratic" if config.answers == "scale" else "none"
        values = sorted(titles)
        return cls(values, [" or ".join(titles[value]) for value in values], weights)

    def codes(self, values: Values) -> Codes:
        """The class of each value; `NONE` for a value that is none of them."""
        known = np.array(self.values)
        codes = np.clip(np.searchsorted(known, values), 0, len(known) - 1)
        return np.where(known[codes] == values, codes, NONE)


@dataclass(frozen=True)
class LabelledRuns:
    """The runs whose answers people labelled under the newest version of a label set, and all those labels."""

    label_set: Evaluator
    version: EvaluatorVersion
    runs: list[Run]
    labels: Labels

    @cached_property
    def classes(self) -> Classes:
        return Classes.of(sets.config_of(self.version))

    @cached_property
    def peers(self) -> Agreement | None:
        """How well people agree with each other; None where no two labelled the same answer."""
        codes = self.classes.codes(self.labels.value)
        by_answer: dict[int, list[int]] = {}
        for answer, code in zip(self.labels.answer.tolist(), codes.tolist(), strict=True):
            by_answer.setdefault(answer, []).append(code)
        shared = [items for items in by_answer.values() if len(items) > 1]
        return of_peers(shared, len(self.classes.values), self.classes.weights) if shared else None

    @cached_property
    def alpha(self) -> Coefficient:
        """Krippendorff's α of people."""
        return alpha(self.ratings, self.level)

    @property
    def level(self) -> Level:
        return "interval" if self.classes.weights == "quadratic" else "nominal"

    @property
    def ratings(self) -> Values:
        """Labels of shape (raters, answers), NaN where a rater gave none, for Krippendorff's α."""
        raters, rows = np.unique(self.labels.rater, return_inverse=True)
        table = np.full((len(raters), int(self.labels.answer.max(initial=-1)) + 1), np.nan)
        table[rows, self.labels.answer] = self.labels.value
        return table


@dataclass(frozen=True)
class Held:
    """An evaluator's verdicts beside the labels: `codes` by label (`NONE`: no verdict), with the scores behind them.

    `threshold` was chosen on the labels that are not sealed, for an evaluator that does not say what passes.
    """

    labelled: LabelledRuns
    version: EvaluatorVersion
    codes: Codes
    scores: Values
    threshold: float | None

    def agreement(self, mask: Mask) -> Agreement | None:
        """How well it agrees with the labels in the mask; None without any."""
        labels, classes = self.labelled.labels, self.labelled.classes
        mask = mask & (self.codes != NONE)
        if not mask.any():
            return None
        return of_pairs(
            classes.codes(labels.value[mask]),
            self.codes[mask],
            len(classes.values),
            labels.example[mask],
            classes.weights,
            labels.share[mask],
        )

    def in_part(self, *parts: int) -> Mask:
        return np.isin(self.labelled.labels.part, parts)


def labelled_runs(label_set: Evaluator, experiment: Experiment | None = None) -> LabelledRuns:
    """The newest runs whose present answers have labels, of one experiment or of all."""
    version = sets.newest_of(label_set)
    items = LabelItem.objects.filter(labels__version=version, labels__withdrawn_at=None)
    sides = Q(pk__in=items.values("run")) | Q(pk__in=items.exclude(other=None).values("other"))
    runs = Run.objects.filter(sides, deleted_at=None, experiment__deleted_at=None)
    if experiment is not None:
        runs = runs.filter(experiment=experiment)
    newest = list(runs.select_related("experiment__dataset").order_by("-pk")[:MOST_RUNS])[::-1]
    return LabelledRuns(label_set, version, newest, _labels(label_set, version, newest))


def _labels(label_set: Evaluator, version: EvaluatorVersion, runs: Sequence[Run]) -> Labels:
    rows: list[tuple[int, int, int, int, float, float, int]] = []
    groups: list[tuple[int, int]] = []
    answer = 0
    baselines: dict[int, int] = {}
    for index, run in enumerate(runs):
        by_position = given.of_run(version, run)
        numbers = _identities(run, np.array([*by_position], np.int64))
        for (position, labels), example in zip(by_position.items(), numbers.tolist(), strict=True):
            counted = [label for label in labels if _is_counted(run, label.opponent, baselines)]
            for label in counted:
                rows.append(
                    (index, position, answer, label.rater, label.value, 1 / len(counted), label.opponent)
                )
                groups.append((run.experiment.dataset_id, example))
            answer += bool(counted)
    columns = np.array(rows, np.float64).reshape(-1, 7).T
    run_, position_, answer_, rater_ = (column.astype(np.int64) for column in columns[:4])
    known = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    parts = {group: sealing.part(label_set.pk, *group) for group in known}
    return Labels(
        run=run_,
        position=position_,
        example=np.array([known[group] for group in groups], np.int64),
        answer=answer_,
        rater=rater_,
        value=columns[4],
        share=columns[5],
        part=np.array([parts[group] for group in groups], np.int64),
        opponent=columns[6].astype(np.int64),
    )


def _is_counted(run: Run, opponent: int, baselines: dict[int, int]) -> bool:
    """Whether a label is held for the answer of this run: a pair's is for the variant beside the baseline, else for the
    newer run. `baselines` are the runs of baselines by experiment, filled in here.
    """
    if not opponent:
        return True
    if run.experiment_id not in baselines:
        shown = experiments.shown_runs(run.experiment)
        baselines[run.experiment_id] = shown[0].pk if shown else 0
    baseline = baselines[run.experiment_id]
    return opponent == baseline or (run.pk != baseline and opponent < run.pk)


def _identities(run: Run, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    every = coverage.positions(run)
    return identities.of_version(run.experiment.dataset, run.experiment.dataset_version)[
        every.slots(positions)
    ]


def held(labelled: LabelledRuns, version: EvaluatorVersion) -> Held:
    """A version of an evaluator beside the labels; raises `Invalid` if it cannot be checked against them."""
    check(version, labelled.version)
    scores, passed = scores_of(labelled.runs, labelled.labels, version)
    threshold = None
    classes, labels = labelled.classes, labelled.labels
    if sets.config_of(labelled.version).answers != "pass_fail":
        codes = classes.codes(np.round(scores) if classes.weights == "quadratic" else scores)
    elif (passed >= 0).any():
        codes = np.where(passed >= 0, passed, NONE)
    else:
        is_better_low = Recipe.from_version(version).direction == "minimize"
        is_open = np.isin(labels.part, (sealing.WRITE, sealing.TUNE)) & np.isfinite(scores)
        threshold = thresholds.best(scores[is_open], labels.value[is_open], is_better_low=is_better_low)
        codes = thresholds.codes(scores, threshold, is_better_low=is_better_low)
    return Held(labelled, version, codes, scores, threshold)


def check(version: EvaluatorVersion, labels: EvaluatorVersion) -> None:
    """Raise `Invalid` for people themselves, and for an evaluator whose scores are not on the scale of the labels."""
    config, recipe = sets.config_of(labels), Recipe.from_version(version)
    values = Classes.of(config).values
    if version.kind == people.key:
        message = "People are the measure: choose an automatic evaluator to check against them."
    elif config.purpose == "weighted":
        message = f"The labels of {labels} are weighed; evaluators are checked against plain random samples."
    elif (version.kind == pair_judge.key) != (config.answers == "pair") and version.kind != sent.key:
        message = (
            f"Of {version} and {labels}, one is about pairs of answers and the other about single answers."
        )
    elif config.answers == "scale" and recipe.bounds != (values[0], values[-1]):
        message = ended(f"The scores of {version} are not on the scale of {labels}")
    else:
        return
    raise Invalid("not_comparable", message, fields={"evaluator": [message]})


def fits(version: EvaluatorVersion, label_set: Evaluator) -> bool:
    """Whether a version can be checked against the newest labels of a set."""
    return _fits(version, sets.newest_of(label_set))


def _fits(version: EvaluatorVersion, labels: EvaluatorVersion) -> bool:
    try:
        check(version, labels)
    except Invalid:
        return False
    return True


def lengths(labelled: LabelledRuns) -> Values:
    """The characters of each label's answer."""
    labels = labelled.labels
    found = np.full(len(labels), np.nan)
    for index, run in enumerate(labelled.runs):
        mine = np.flatnonzero(labels.run == index)
        outputs = Output.objects.filter(run=run, position__one_of=labels.position[mine].tolist())
        by_position = dict(bulk.select(outputs.values_list("position", Length("text"))))
        found[mine] = [by_position.get(position) or np.nan for position in labels.position[mine].tolist()]
    return found


def evaluators_of(labelled: LabelledRuns) -> list[EvaluatorVersion]:
    """The newest versions of automatic evaluators that scored these runs and can be checked against the labels."""
    versions = EvaluatorVersion.objects.filter(scorings__run__in=labelled.runs, evaluator__deleted_at=None)
    newest: dict[int, EvaluatorVersion] = {}
    for version in versions.select_related("evaluator").order_by("number").distinct():
        newest[version.evaluator_id] = version
    return [version for _, version in sorted(newest.items()) if _fits(version, labelled.version)]


def label_sets_of(evaluator: Evaluator) -> list[Evaluator]:
    """The label sets with labels of runs that an evaluator scored, those with the most labels first."""
    runs = Scoring.objects.filter(evaluator_version__evaluator=evaluator, run__deleted_at=None).values("run")
    counted = Count(
        "versions__label_tasks__items__labels",
        filter=Q(versions__label_tasks__items__run__in=runs)
        | Q(versions__label_tasks__items__other__in=runs),
    )
    found = Evaluator.objects.live().filter(project=evaluator.project_id, versions__kind=people.key)
    return list(found.annotate(labels=counted).filter(labels__gt=0).order_by("-labels", "pk"))


def is_judge(version: EvaluatorVersion) -> bool:
    """Whether the scores come from outside, so that its rubric can be tuned by labels; formulas have none."""
    return Recipe.from_version(version).kind.family == Family.OUTSIDE
