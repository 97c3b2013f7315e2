"""Runs with given scores, stored as the engine stores scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Block, Dataset, Experiment, Project, Run, Scoring
from evaluations.scoring import columns, summaries
from evaluations.scoring.columns import Slots
from evaluations.values import Status


def experiment(project: Project, size: int, kinds: Sequence[str], metadata: Sequence[Any] = ()) -> Experiment:
    """`size` examples, and evaluators named after their kinds."""
    rows = [
        {"inputs": {"n": n}, "reference": {"a": n}, "metadata": metadata[n] if metadata else {}}
        for n in range(size)
    ]
    dataset = datasets.create(project, None, f"rows {Dataset.objects.count()}", rows)
    evaluators_of_kinds = [
        evaluators.create(project, None, f"{kind} {dataset.pk}-{n}", kind, {}, {})
        for n, kind in enumerate(kinds)
    ]
    return experiments.create(project, None, f"experiment {dataset.pk}", dataset, evaluators_of_kinds)


def run(
    in_experiment: Experiment, variant: str, scores: Sequence[Any], statuses: Mapping[int, Any] | None = None
) -> Run:
    """A scored run: a column for each evaluator, NaN for an unanswered example unless `statuses` say why."""
    scored_run = Run.objects.create(
        project=in_experiment.project,
        experiment=in_experiment,
        variant=variant,
        status=Run.Status.COMPLETED,
        output_count=0,
    )
    for number, (version, values) in enumerate(
        zip(experiments.versions_of(in_experiment), scores, strict=True)
    ):
        values = np.asarray(values, np.float64)
        status = np.where(np.isnan(values), Status.MISSING_ACTUAL, Status.SCORED).astype(np.uint8)
        if statuses and number in statuses:
            status = np.asarray(statuses[number], np.uint8)
        store(scored_run, version, values, status)
    return scored_run


def store(of_run: Run, version: Any, values: np.ndarray, status: np.ndarray) -> Scoring:
    scoring = Scoring.objects.create(run=of_run, evaluator_version=version)
    passed = np.full(len(values), -1, np.int8)
    for first in range(0, len(values), columns.CHUNK):
        part = slice(first, first + columns.CHUNK)
        packed = columns.pack(Slots(values[part], passed[part], status[part]))
        Block.objects.create(scoring=scoring, first=first + 1, **dict(zip(PACKED, packed, strict=True)))
    scoring.summary = summaries.compute(scoring)
    scoring.save(update_fields=["summary"])
    return scoring


PACKED = ("values", "passed", "status")
