"""Labels that exist already: sent by a program, or read from a file; kept as facts like those given here."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluations import owned
from evaluations.errors import Conflict, Invalid
from evaluations.experiments import matching
from evaluations.kinds.people import PeopleConfig
from evaluations.models import Evaluator, EvaluatorVersion, Label, LabelItem, LabelTask, Rater, Run
from evaluations.scoring import records
from evaluations.values import JSON, LONGEST_RATER, key_text

from . import columns, raters, rating, samples, sets

MOST = 100_000
WORDS: dict[JSON, str] = {
    True: "pass",
    False: "fail",
    "true": "pass",
    "false": "fail",
    "1": "pass",
    "0": "fail",
}


@dataclass(frozen=True)
class Sent:
    """`stored` labels by `raters` people, `unsure` of them without an answer; `left_out` columns were not read."""

    task: LabelTask
    stored: int
    raters: int
    unsure: int
    left_out: Sequence[str] = ()


def send(
    evaluator: Evaluator,
    user: User | None,
    run: Run,
    labels: Sequence[dict[str, Any]],
    *,
    is_random: bool,
) -> Sent:
    """Store labels of a run's answers by key or position; several people may label one answer.

    `is_random` says that the labelled examples are a random sample of those answered; others are no estimates and need
    a label set for reading. On the first label that is wrong, nothing is stored.
    """
    version = sets.newest_of(evaluator)
    config = sets.config_of(version)
    _check(config, run, labels, is_random=is_random)
    words = [_word(config, number, label) for number, label in enumerate(labels, 1)]
    with transaction.atomic():
        owned.hold(run.experiment)
        positions = _positions(run, labels)
        task = _task(version, user, run, is_random=is_random)
        items = _items(task, run, positions)
        people = _people(task, labels)
        choices = config.choices
        columns.mark(task)
        Label.objects.bulk_create(
            Label(
                item=items[position],
                rater=people[label.get("rater") or ""],
                version=version,
                answer=word or "",
                value=None if word is None else choices[word],
                note=label.get("note") or "",
            )
            for position, word, label in zip(positions, words, labels, strict=True)
        )
        columns.publish(task)
    return Sent(task, len(labels), len(people), words.count(None))


def _check(config: PeopleConfig, run: Run, labels: Sequence[dict[str, Any]], *, is_random: bool) -> None:
    if len(labels) > MOST:
        raise _wrong("too_many_labels", f"At most {MOST} labels at once.")
    if config.answers == "pair":
        raise _wrong("invalid", "Labels of pairs are given here, so that the sides are drawn.")
    if run.status not in (Run.Status.COMPLETED, Run.Status.CANCELLED):
        raise Conflict("run_not_scorable", f"{run.variant} is {run.status}; people label complete runs.")
    if config.purpose == "weighted":
        raise _wrong(
            "invalid", "This label set weighs the samples that it draws; send these labels to another one."
        )
    if is_random != (config.purpose == "estimate"):
        message = (
            "This label set is for reading; its labels are no random sample."
            if is_random
            else "Say that the labelled examples are a random sample, or use a label set for reading: "
            "labels of chosen examples are no estimates."
        )
        raise Invalid("invalid", message, fields={"random": [message]})


def _wrong(code: str, message: str, number: int | None = None) -> Invalid:
    hint = "Nothing of this batch was stored."
    where = {} if number is None else {"label": number}
    return Invalid(code, message, hint=hint, where=where, fields={"labels": [message]})


def _word(config: PeopleConfig, number: int, label: dict[str, Any]) -> str | None:
    """The answer that a label names; None if the rater was unsure."""
    value = label.get("value")
    if len(label.get("rater") or "") > LONGEST_RATER or len(label.get("note") or "") > rating.LONGEST_NOTE:
        raise _wrong("invalid", f"Label {number}: its rater or note is too long.", number)
    if label.get("unsure"):
        if value not in (None, ""):
            raise _wrong("invalid_choice", f"Label {number} has a value and is unsure.", number)
        return None
    word = _spelt(config, value)
    if word not in config.choices:
        told = (
            f"Label {number}: “{str(value)[:60]}” is no answer; the answers are {', '.join(config.choices)}."
        )
        raise _wrong("invalid_choice", told, number)
    return word


def _spelt(config: PeopleConfig, value: JSON) -> str:
    """A value as the answer is spelt: numbers without a point, true as pass."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip().lower()
    return WORDS.get(text, text) if config.answers == "pass_fail" else text


def _positions(run: Run, labels: Sequence[dict[str, Any]]) -> list[int]:
    """The position of each label; raises `Invalid` if one rater labels an example twice."""
    names = [(key_text(label.get("key")), label.get("position")) for label in labels]
    found: dict[tuple[str | None, Any], int] = {}
    for has_key in (True, False):  # apart, because one file may name an example both ways
        named = {
            name: label for name, label in zip(names, labels, strict=True) if (name[0] is not None) == has_key
        }
        found |= zip(named, matching.positions_of(run, list(named.values()), "label"), strict=True)
    positions = [found[name] for name in names]
    seen: set[tuple[int, str]] = set()
    for number, (position, label) in enumerate(zip(positions, labels, strict=True), 1):
        if (position, label.get("rater") or "") in seen:
            message = f"Label {number}: this rater labels the example twice; name raters, or send one label."
            raise _wrong("duplicate_label", message, number)
        seen.add((position, label.get("rater") or ""))
    return positions


def _task(version: EvaluatorVersion, user: User | None, run: Run, *, is_random: bool) -> LabelTask:
    """The task that holds the labels sent about a run, which nobody is asked."""
    held = LabelTask.objects.select_for_update().filter(
        version=version, runs=run, drawn=LabelTask.Drawn.SENT, is_blind=is_random, deleted_at=None
    )
    if task := held.first():
        return task
    task = LabelTask.objects.create(
        project=run.project,
        created_by=user,
        version=version,
        size=0,
        seed=0,
        overlap=0,
        drawn=LabelTask.Drawn.SENT,
        is_blind=is_random,
        closed_at=timezone.now(),
    )
    task.runs.set([run])
    return task


def _items(task: LabelTask, run: Run, positions: Sequence[int]) -> dict[int, LabelItem]:
    """The item of each position, with new ones for answers that have none; raises `Invalid` without an answer."""
    known = {(item.example, item.answer): item for item in task.items.all()}
    items: dict[int, LabelItem] = {}
    for position, (example, answer) in records.answered(run, sorted({*positions})).items():
        if answer is None:
            raise _wrong(
                "nothing_to_label", f"The example at position {position} has no answer in {run.variant}."
            )
        about = {"run": run, "example": example, "answer": answer, "token": secrets.token_urlsafe(16)}
        item = known.get((example, answer)) or LabelItem(task=task, rank=len(known), **about)
        known[example, answer] = items[position] = item
    LabelItem.objects.bulk_create([item for item in items.values() if item.pk is None])
    _draw(task, run, len({example for example, _ in known}))
    return items


def _draw(task: LabelTask, run: Run, size: int) -> None:
    """Store the size of the sample, and of a random one the probability with which its examples were drawn."""
    task.size = size  # the audit log names the task by it
    task.save(update_fields=["size"])
    if task.is_blind:
        share = size / len(samples.answered([run], in_all=True))
        task.items.update(probability=min(share, 1.0))


def _people(task: LabelTask, labels: Sequence[dict[str, Any]]) -> dict[str, Rater]:
    """A rater for each name, in the order in which they appear; no name is a rater too."""
    known = {rater.name: rater for rater in task.people.all()}
    for name in dict.fromkeys(label.get("rater") or "" for label in labels):
        if name not in known:
            known[name] = raters.added(task, name=name)
    return {name: known[name] for name in {label.get("rater") or "" for label in labels}}


def of_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a file of scores as labels: the label or value of each, and by whom; an empty one is unsure."""
    labels = []
    for row in rows:
        value = row.get("label") if row.get("label") is not None else row.get("value")
        is_unsure = value in (None, "") or str(value).strip().lower() == "unsure"
        about = {"key": row.get("key"), "position": row.get("position"), "note": row.get("note")}
        labels.append(
            about | {"rater": row.get("by"), "value": None if is_unsure else value, "unsure": is_unsure}
        )
    return labels
