"""Columns of scores that nobody can compute again: rebuilt from their records at any time, which stay.

A record counts while the answer has the digest that was scored. The last such record of an example is its score;
records of an earlier answer are history. An example without any is `NOT_SENT`, which is nobody's fault; without an
answer it is `MISSING_ACTUAL`.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from evaluations import bulk, leases
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds import scores as kinds_of_scores
from evaluations.kinds.judge import JudgingConfig
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.scores import Scores
from evaluations.models import (
    Block,
    EvaluatorVersion,
    Example,
    Output,
    Record,
    RecordColumn,
    Run,
    Scoring,
)
from evaluations.values import Status

from . import built, columns, counted, deciding, formulas, spans

ERROR = "sent_error: "
NO_VERDICT = "no_verdict: "  # how the error of a record begins whose judge answered without a verdict
NONE = (-1,)
FIELDS = (
    *("column_id", "example", "number", "answer"),
    *("value", "label", "error", "note", "by"),
    *("sender_id", "created_at"),
)


class Answered(NamedTuple):
    """What a record needs to know about a position: the example's identity, and the digest of its answer now."""

    example: int
    answer: int | None


class Kept(NamedTuple):
    """A score as it is kept: at most one of `value` and `error`."""

    value: float | None
    label: str | None
    error: str | None
    note: str | None
    by: str | None


def digest(text: str | None, is_json: bool) -> int | None:
    """64 bits of an answer, as the database stores them; None if there is no answer."""
    if text is None:
        return None
    hashed = blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=8, person=b"json" if is_json else b"text"
    )
    return int.from_bytes(hashed.digest(), "big", signed=True)


def answered(run: Run, positions: Sequence[int]) -> dict[int, Answered]:
    """By position, in this order. Texts are read one at a time, because those of a chunk may not fit in memory."""
    identities, digests = _identities(run, positions), _digests(run, positions)
    return {position: Answered(identities[position], digests.get(position)) for position in positions}


def _identities(run: Run, positions: Sequence[int]) -> dict[int, int]:
    """By position, in this order, the identity of its example."""
    edited = Example.objects.filter(
        dataset=run.experiment.dataset_id, position__one_of=frozenset(positions), origin__isnull=False
    )
    origins = dict(bulk.select(edited.values_list("position", "origin")))
    return {position: origins.get(position, position) for position in positions}


def _outputs(run: Run, positions: Sequence[int]) -> Any:
    return Output.objects.filter(run=run, position__one_of=frozenset(positions), text__isnull=False)


def _digests(run: Run, positions: Sequence[int]) -> dict[int, int | None]:
    """The digests of the answers at these positions; without those that have none."""
    stored = bulk.stream(_outputs(run, positions).values_list("position", "text", "is_json"))
    return {position: digest(text, bool(is_json)) for position, text, is_json in stored}


def keep(
    run: Run,
    version: EvaluatorVersion,
    positions: Sequence[int],
    scores: Sequence[Kept],
    sender: int | None = None,
    *,
    only_changes: bool = False,
) -> int:
    """Store records, and write them into the column of a run unless it is a draft; returns how many had one already.

    With `only_changes`, what equals the last record of the example's present answer is not stored again. The run is
    locked.
    """
    column, _ = RecordColumn.objects.get_or_create(run=run, evaluator_version=version, removed_at=None)
    now = answered(run, positions)
    last = _last(column, [example for example, _ in now.values()], with_texts=only_changes)
    at = timezone.now()
    changed = {
        position: (column.pk, example, last.get(example, NONE)[0] + 1, answer, *score, sender, at)
        for (position, (example, answer)), score in zip(now.items(), scores, strict=True)
        if not only_changes or last.get(example, NONE)[1:] != (answer, *score)
    }
    if not changed:
        return 0
    bulk.insert(Record, FIELDS, changed.values())
    if run.status != Run.Status.DRAFT:
        found = dict(zip(now, scores, strict=True))
        _add(
            run, version, {position: _Found.of(now[position].answer, found[position]) for position in changed}
        )
    return len(last)


def _last(column: RecordColumn, examples: Sequence[int], *, with_texts: bool) -> dict[int, tuple[Any, ...]]:
    """The last record of each example that has one: its number and, with its texts, all that `Kept` has."""
    names = ("number", "answer", *Kept._fields) if with_texts else ("number",)
    about = Record.objects.filter(column=column, example__one_of=frozenset(examples))
    stored = about.order_by("example", "number")
    return {example: tuple(rest) for example, *rest in bulk.select(stored.values_list("example", *names))}


class _Found(NamedTuple):
    """What is known about a position: whether it has an answer, and value and error of the record that counts."""

    is_answered: bool
    value: float | None = None
    error: str | None = None

    @classmethod
    def of(cls, answer: int | None, score: Kept) -> "_Found":
        return cls(answer is not None, score.value, score.error)


def scores(run: Run, version: EvaluatorVersion, positions: NDArray[np.int64]) -> Scores:
    """The scores of these positions from their records: one slot for each.

    Only answers that have records are read: their digests say which of these count.
    """
    identities = _identities(run, positions.tolist())
    stored = _records(run, version, list(identities.values()))
    digests = _digests(run, [position for position, example in identities.items() if example in stored])
    answers = {position for (position,) in bulk.select(_outputs(run, [*identities]).values_list("position"))}
    found = [
        _Found(position in answers, *stored.get(example, {}).get(digests.get(position), ()))
        for position, example in identities.items()
    ]
    return _as_scores(version, found)


def _records(
    run: Run, version: EvaluatorVersion, examples: Sequence[int]
) -> dict[int, dict[int | None, tuple[float | None, str | None]]]:
    """By example and digest of the answer, value and error of the last record."""
    column = live(run).filter(evaluator_version=version).first()
    by_example: dict[int, dict[int | None, tuple[float | None, str | None]]] = {}
    if column is None:
        return by_example
    about = Record.objects.filter(column=column, example__one_of=frozenset(examples))
    stored = about.order_by("example", "number")
    for example, answer, value, error in bulk.select(
        stored.values_list("example", "answer", "value", "error")
    ):
        by_example.setdefault(example, {})[answer] = value, error
    return by_example


def _as_scores(version: EvaluatorVersion, found: Sequence[_Found]) -> Scores:
    result = Scores.empty(len(found), Status.NOT_SENT)
    config = Recipe.from_version(version).parsed
    assert isinstance(config, RecordedConfig | JudgingConfig)
    is_judge = isinstance(config, JudgingConfig)
    for slot, (is_answered, value, error) in enumerate(found):
        if error is not None:
            result.status[slot], result.messages[slot] = _problem(error, is_judge=is_judge)
        elif value is not None:
            result.values[slot], result.status[slot] = value, Status.SCORED
        elif not is_answered:
            result.status[slot] = Status.MISSING_ACTUAL
    verdicts = config.verdicts(result.values)
    if verdicts is not None:
        result.passed[:] = np.where(result.status == Status.SCORED, verdicts, kinds_of_scores.NO_VERDICT)
    return result


def _problem(error: str, *, is_judge: bool) -> tuple[Status, str]:
    """Status and message of a record without a score: a judge's error has a code of its own."""
    if is_judge:
        return Status.NO_VERDICT if error.startswith(NO_VERDICT) else Status.ERROR, error
    return Status.ERROR, f"{ERROR}{error}"


def live(run: Run) -> Any:
    """The columns of records of a run that are not removed."""
    return RecordColumn.objects.filter(run=run, removed_at=None)


def versions_of(run: Run) -> list[EvaluatorVersion]:
    """The versions that have records about a run."""
    used = live(run).select_related("evaluator_version__evaluator__project")
    return [column.evaluator_version for column in used]


# ---- columns without a job -------------------------------------------------------------------------------------


def _add(run: Run, version: EvaluatorVersion, found: Mapping[int, _Found]) -> None:
    """Write what was just stored, by position, into the blocks, and the figures; the run is locked.

    A new column is built from all records. In a column that exists, other slots stay as they are.
    """
    scoring, is_new = Scoring.objects.get_or_create(run=run, evaluator_version=version)
    if is_new:
        for first, last in spans.everywhere(run):
            _write(run, version, scoring, first, last)
    else:
        for stretch, inside in spans.by_stretch(found).items():
            _extend(run, version, scoring, stretch, inside)
    built.close(scoring)
    formulas.refresh(run, [version.pk])
    if is_new:
        deciding.settle(run.experiment_id, [version])
    if is_new and run.status == Run.Status.COMPLETED:
        Run.objects.filter(pk=run.pk, finished_at=None).update(finished_at=leases.now())
        counted.count(run)  # The outputs of a run without evaluators can be compared now.


def _extend(
    run: Run,
    version: EvaluatorVersion,
    scoring: Scoring,
    stretch: spans.Stretch,
    found: Mapping[int, _Found],
) -> None:
    first, last = stretch
    slots, messages = columns.stretch([scoring.pk], first)[scoring.pk]
    if not slots.is_known[spans.asked_between(run, first, last) - first].all():
        return _write(run, version, scoring, first, last)
    block = Scores(slots.values, slots.passed, slots.status, messages)
    offsets = np.array(list(found), np.int64) - first
    for offset in offsets.tolist():
        messages.pop(offset, None)
    block.put(offsets, _as_scores(version, list(found.values())))
    return built.write(scoring, first, block)


def _write(run: Run, version: EvaluatorVersion, scoring: Scoring, first: int, last: int) -> None:
    positions = spans.asked_between(run, first, last)
    block = Scores.empty(last - first + 1)
    block.put(positions - first, scores(run, version, positions))
    built.write(scoring, first, block)


def drop(run: Run, versions: Iterable[EvaluatorVersion]) -> None:
    """Delete the built columns of these versions; their records stay."""
    scorings = Scoring.objects.filter(run=run, evaluator_version__in=list(versions))
    dropped = list(scorings.values_list("evaluator_version", flat=True))
    Block.objects.filter(scoring__in=scorings).delete()
    scorings.delete()
    formulas.refresh(run, dropped)
