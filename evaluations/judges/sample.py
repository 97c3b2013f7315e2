"""The sample project with people and a judge: fifty of its questions are labelled, and a judge read every answer.

The judge's answers are shipped, so that its passport and what it saves people can be seen without a
model. It has no connection of its own: what it has not read, it can only be asked with one.
"""

from collections.abc import Sequence
from importlib import resources
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, sample_days, samples
from evaluations.kinds.judge import judge
from evaluations.labelling import columns, sets, tasks
from evaluations.models import (
    Budget,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    JudgeModel,
    Judging,
    Label,
    LabelTask,
    Project,
    Rater,
    Run,
    Scoring,
    Verdict,
)
from evaluations.models.fields import name_key
from evaluations.scoring import records

from . import presets, publishing

LABELS, JUDGE = "Is the answer right? (sample)", "Judge of answers (sample, recorded)"
MODEL = "recorded"
LABELLED, SEED = 50, 7
GUIDELINE = (
    "Pass: every fact agrees with the reference, and nothing that the question asks for is missing. Tone and length do "
    "not matter."
)
VALUES = {"pass": 1.0, "fail": 0.0}


def load(project: Project, user: User | None) -> Experiment:
    """Create the sample with its labels and its judge; if it exists already, return it."""
    if experiment := samples.experiment_of(project):
        return experiment
    with transaction.atomic():
        dataset = samples.dataset_of(project, user)
        facts = sample_days.create_prompts(project, user)
        sample_days.add(dataset, user, facts)
        experiment = samples.create(project, user, dataset)
        sample_days.describe(experiment, facts)
        said = {row["key"]: row for row in _rows()}
        runs = list(experiments.runs_of(experiment))
        keys = dict(experiment.examples.values_list("position", "key"))
        by_position = {position: said[key] for position, key in keys.items() if key in said}
        _label(project, user, runs, by_position)
        _judge(project, user, runs, by_position)
        samples.score(experiment, user)
    return experiment


def remove(project: Project) -> None:
    """Delete the sample with what belongs to it; `Conflict` while it is being scored."""
    with transaction.atomic():
        if experiment := samples.experiment_of(project):
            sample_days.remove(experiment)
        samples.remove(project)
        named = Evaluator.objects.live().filter(project=project, name_key__in=map(name_key, (LABELS, JUDGE)))
        for evaluator in named:
            scored = Scoring.objects.filter(evaluator_version__evaluator=evaluator)
            if not scored.filter(run__deleted_at=None, run__experiment__deleted_at=None).exists():
                evaluators.delete(evaluator)


def _rows() -> list[dict[str, Any]]:
    stored = resources.files("evaluations.judges") / "sample.jsonl"
    return [orjson.loads(line) for line in stored.read_bytes().splitlines()]


Said = dict[int, dict[str, Any]]  # by position, what people and the judge say of each variant


def _label(project: Project, user: User | None, runs: Sequence[Run], said: Said) -> None:
    """Two people label the answers to fifty questions, a fifth of them both."""
    settings = {"question": "Is the answer right?", "guideline": GUIDELINE}
    label_set = sets.create(project, user, LABELS, settings)
    task = tasks.create(label_set, user, runs, tasks.Plan(size=LABELLED, seed=SEED))
    raters = [Rater.objects.create(task=task, number=number) for number in (1, 2)]
    variants = {run.pk: run.variant for run in runs}
    for item in task.items.prefetch_related("seats"):
        words = said[item.example]
        for number, seat in enumerate(item.seats.order_by("pk")):
            seat.rater, seat.is_done = raters[number], True
            seat.save(update_fields=["rater", "is_done"])
            word = words["people"][variants[item.run_id]]
            if number:
                word = words.get("second", {}).get(variants[item.run_id], word)
            _rate(task, item.pk, raters[number], word)
    columns.publish(task)


def _rate(task: LabelTask, item: int, rater: Rater, word: str) -> None:
    Label.objects.create(
        item_id=item, rater=rater, version=task.version, answer=word, value=VALUES[word], seconds=6
    )


def _judge(project: Project, user: User | None, runs: Sequence[Run], said: Said) -> None:
    """The judge has read every answer, for nothing."""
    preset = presets.by_key("correct", pairs=False)
    config = {
        "messages": [{"role": "user", "content": preset.rubric}],
        "model": MODEL,
        "parameters": {"temperature": 0, "max_completion_tokens": 200},
        "preset": preset.key,
    }
    evaluator = evaluators.create(project, user, JUDGE, judge.key, config, {})
    version = evaluators.newest(evaluator)
    JudgeModel.objects.create(version=version, model=MODEL)
    budget = Budget.objects.create(project=project, limit=0)
    for run in runs:
        _read(run, version, budget, user, said)


def _read(run: Run, version: EvaluatorVersion, budget: Budget, user: User | None, said: Said) -> None:
    answered = records.answered(run, sorted(said))
    judging = Judging.objects.create(
        project=run.project,
        created_by=user,
        run=run,
        version=version,
        kind=version.kind,
        config=version.config,
        budget=budget,
        size=len(answered),
        status=Judging.Status.COMPLETED,
        finished_at=timezone.now(),
    )
    Verdict.objects.bulk_create(
        _verdict(judging, example, answer, *said[position]["judge"][run.variant])
        for position, (example, answer) in answered.items()
        if answer is not None
    )
    if not publishing.publish(judging, sorted(answered)):
        publishing.put_off(judging)


def _verdict(judging: Judging, example: int, answer: int, word: str, reason: str) -> Verdict:
    return Verdict(
        judging=judging,
        run_id=judging.run_id,
        version_id=judging.version_id,
        example=example,
        answer=answer,
        key=b"",
        state=Verdict.State.GIVEN,
        label=word,
        value=VALUES[word],
        reason=reason,
        text=orjson.dumps({"reason": reason, "verdict": word}).decode(),
        model=MODEL,
        calls=0,
        cached=True,
    )
