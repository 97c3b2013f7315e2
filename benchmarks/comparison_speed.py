"""Measures time and memory of a comparison of many runs by many evaluators; prepared and measured separately."""

import resource
import time
from collections.abc import Sequence

import numpy as np
from django.contrib.auth.models import User

from evaluations.access import projects
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures import cache
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Block, Dataset, DatasetVersion, Example, Experiment, Run, Scoring
from evaluations.scoring import column_cache, columns, summaries
from evaluations.scoring.columns import Slots
from evaluations.values import Status

AT_ONCE = 50_000
BLOCKS = 100


def prepare(runs: int, used: int, size: int) -> Experiment:
    """Create an experiment with random scores, stored as the engine stores them."""
    project = projects.create(f"Speed {size}", User.objects.create_user(f"speed-{User.objects.count()}"))
    dataset = datasets.create(project, None, "rows", [{"inputs": {"n": 0}, "reference": {"a": "x"}}])
    for first in range(2, size + 1, AT_ONCE):
        positions = range(first, min(first + AT_ONCE, size + 1))
        Example.objects.bulk_create(
            Example(dataset_id=dataset.pk, position=n, inputs=f'{{"n":{n}}}', reference='{"a":"x"}')
            for n in positions
        )
    Dataset.objects.filter(pk=dataset.pk).update(last_position=size, example_count=size)
    DatasetVersion.objects.filter(dataset=dataset).update(example_count=size, last_position=size)
    kinds = [
        evaluators.create(project, None, f"evaluator {n}", "levenshtein_similarity", {}, {})
        for n in range(used)
    ]
    dataset.refresh_from_db()
    experiment = experiments.create(project, None, "speed", dataset, kinds)
    chance = np.random.default_rng(1)
    for n in range(runs):
        _run(experiment, f"variant {n}", size, chance)
    return experiment


def _run(experiment: Experiment, variant: str, size: int, chance: np.random.Generator) -> None:
    run = Run.objects.create(
        project=experiment.project,
        experiment=experiment,
        variant=variant,
        status=Run.Status.COMPLETED,
        output_count=size,
    )
    for version in experiments.versions_of(experiment):
        scoring = Scoring.objects.create(run=run, evaluator_version=version)
        values = chance.random(size).round(2)
        Block.objects.bulk_create(_blocks(scoring, values), batch_size=BLOCKS)
        scoring.summary = summaries.compute(scoring)
        scoring.save(update_fields=["summary"])


def _blocks(scoring: Scoring, values: np.ndarray) -> Sequence[Block]:
    passed, status = np.ones(columns.CHUNK, np.int8), np.full(columns.CHUNK, Status.SCORED, np.uint8)
    blocks = []
    for first in range(0, len(values), columns.CHUNK):
        part = values[first : first + columns.CHUNK]
        packed = columns.pack(Slots(part, passed[: len(part)], status[: len(part)]))
        names = ("values", "passed", "status")
        blocks.append(Block(scoring=scoring, first=first + 1, **dict(zip(names, packed, strict=True))))
    return blocks


def measure(experiment: Experiment) -> dict[str, float]:
    """Seconds of the first and second comparison, of one in another process, and the peak of memory in MB."""
    figures = {"cold": _seconds(experiment), "warm": _seconds(experiment)}
    cache.process_cache.clear()
    column_cache.process_cache.clear()
    column_cache.long_cache.clear()
    figures["by another process"] = _seconds(experiment)
    return figures | {"peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _seconds(experiment: Experiment) -> float:
    """Read the figures that a page shows: every entry, the ranking, the sentence, the warnings."""
    started = time.perf_counter()
    runs = list(
        Run.objects.filter(experiment=experiment).select_related("experiment__dataset").order_by("pk")
    )
    comparison = Comparison(runs, runs[0])
    assert comparison.figures.entries
    assert comparison.sentence.text
    assert comparison.figures.ranking
    assert not comparison.warnings
    return time.perf_counter() - started
