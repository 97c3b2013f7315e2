"""Labels as facts: who said what about which answer, when, and whether it is for estimates.

What reads labels reads them here: columns, agreement, passports, estimates. A label belongs to the answer that was
rated: `of_run` leaves out labels of earlier answers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Q, QuerySet

from evaluations.datasets import identities
from evaluations.kinds.people import PeopleConfig
from evaluations.models import EvaluatorVersion, Label, LabelTask, Run
from evaluations.scoring import coverage, records

OF_PAIR: dict[float | None, str] = {1.0: "better", 0.0: "worse"}  # for a run; ties keep their word


@dataclass(frozen=True)
class Fact:
    """One label of one answer.

    `example` is the identity of the example; `rater` is the id of a rater in a task, and `number` what others see of
    them. `value` is the score of the answer of `run` by this label (for a pair: 1, ½ or 0 against `opponent`), None if
    the rater was unsure; `word` is what was pressed. `probability` is that with which the example was drawn: None if
    the label is not for estimates, because its answer was chosen or the rater saw scores. `seconds` is None for a
    label from a file. An adjudicated label decides about an answer on which raters differ.
    """

    label: int
    run: int
    example: int
    rater: int
    number: int
    value: float | None
    word: str
    note: str
    at: datetime
    seconds: float | None
    probability: float | None
    is_adjudicated: bool
    opponent: int | None

    @property
    def is_unsure(self) -> bool:
        return self.value is None

    @property
    def is_for_estimates(self) -> bool:
        return self.probability is not None


def of_run(version: EvaluatorVersion, run: Run) -> dict[int, list[Fact]]:
    """The labels under a version of a label set that count for the present answers of a run, by position.

    The last label of a rater about an answer counts; labels that were taken back do not.
    """
    by_example = defaultdict(list)
    for label in _standing(version, run):
        by_example[label.item.example].append(label)
    labelled = positions(run, list(by_example))
    now = records.answered(run, labelled)
    present = {position: by_example[example] for position, (example, _) in now.items()}
    answers = {position: answer for position, (_, answer) in now.items()}
    opposite = _opposite(run, present)
    return {
        position: facts
        for position, labels in present.items()
        if (
            facts := [
                _fact(label, run)
                for label in _last(labels)
                if _is_present(label, run, answers[position], opposite, position)
            ]
        )
    }


def _standing(version: EvaluatorVersion, run: Run) -> QuerySet[Label]:
    labels = Label.objects.filter(
        Q(item__run=run) | Q(item__other=run), version=version, withdrawn_at=None, item__task__deleted_at=None
    ).exclude(item__task__drawn=LabelTask.Drawn.TRIAL)
    return labels.select_related("item__task", "rater").order_by("pk")


def positions(run: Run, examples: Sequence[int]) -> list[int]:
    """The positions, in the run's version of the dataset, of these identities of examples."""
    every = coverage.positions(run).every
    present = identities.of_version(run.experiment.dataset, run.experiment.dataset_version)
    found: list[int] = every[np.isin(present, examples)].tolist()
    return found


def _last(labels: Iterable[Label]) -> Iterable[Label]:
    """The last label of each rater; a decision about a difference is one of its own."""
    return {(label.rater_id, label.is_adjudicated): label for label in labels}.values()


def _opposite(run: Run, labels: dict[int, list[Label]]) -> dict[tuple[int, int], int | None]:
    """By run and position, the digests of the present answers that a run was paired with."""
    paired: dict[int, set[int]] = defaultdict(set)
    for position, given in labels.items():
        for label in given:
            if opponent := _opponent(label, run):
                paired[opponent].add(position)
    runs = Run.objects.select_related("experiment__dataset").in_bulk(list(paired))
    return {
        (pk, position): answer
        for pk, positions in paired.items()
        for position, (_, answer) in records.answered(runs[pk], sorted(positions)).items()
    }


def _opponent(label: Label, run: Run) -> int | None:
    item = label.item
    return item.other_id if item.run_id == run.pk else item.run_id


def _is_present(
    label: Label,
    run: Run,
    answer: int | None,
    opposite: dict[tuple[int, int], int | None],
    position: int,
) -> bool:
    item = label.item
    mine, theirs = (
        (item.answer, item.other_answer) if item.run_id == run.pk else (item.other_answer, item.answer)
    )
    opponent = _opponent(label, run)
    return mine == answer and (opponent is None or opposite.get((opponent, position)) == theirs)


def _fact(label: Label, run: Run) -> Fact:
    item = label.item
    is_first = item.run_id == run.pk
    opponent = _opponent(label, run)
    value = label.value if is_first or label.value is None else 1 - label.value
    return Fact(
        label=label.pk,
        run=run.pk,
        example=item.example,
        rater=label.rater_id,
        number=label.rater.number,
        value=value,
        word=label.answer if opponent is None else OF_PAIR.get(value, label.answer),
        note=label.note,
        at=label.created_at,
        seconds=label.seconds,
        probability=item.probability if item.task.is_blind else None,
        is_adjudicated=label.is_adjudicated,
        opponent=opponent,
    )


# ---- the value of an answer ----------------------------------------------------------------------------------


def decided(config: PeopleConfig, facts: Sequence[Fact]) -> tuple[float | None, str | None]:
    """The value of an answer, and its word where there is one: what was adjudicated, else the mean of its raters.

    Of words it is the majority, and a tie is nothing. Unsure raters do not count; None if nobody was sure.
    """
    sure = [fact for fact in facts if fact.value is not None]
    sure = [fact for fact in sure if fact.is_adjudicated][-1:] or sure
    if not sure:
        return None, None
    words = Counter(fact.word for fact in sure)
    if config.answers == "labels":
        (word, most), *others = words.most_common()
        if others and others[0][1] == most:
            return None, None
        return next(fact.value for fact in sure if fact.word == word), word
    values = [fact.value for fact in sure if fact.value is not None]
    return sum(values) / len(values), words.most_common(1)[0][0] if len(words) == 1 else None


def differ(facts: Iterable[Fact]) -> bool:
    """Whether raters who were sure said different things about an answer."""
    return len({fact.value for fact in facts if not fact.is_unsure and not fact.is_adjudicated}) > 1


def values(version: EvaluatorVersion, run: Run) -> Iterator[tuple[int, float, list[Fact]]]:
    """Position, value and labels of every answer of a run that has a value."""
    config = PeopleConfig.model_validate(version.config)
    for position, facts in of_run(version, run).items():
        value, _ = decided(config, facts)
        if value is not None:
            yield position, value, facts
