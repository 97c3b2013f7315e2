"""The sample project data: support questions about an invented product, answered by three variants of a prompt.

It is processed like real data: outputs are stored, jobs queued, and workers score them.
"""

from importlib import resources
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.db import transaction

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.kinds.presets import BY_KEY
from evaluations.models import Dataset, Evaluator, Experiment, Project
from evaluations.models.fields import name_key

from . import experiments, runs

NAME = "Support questions (sample)"
QUESTION = "Do our rules in the prompt help? (sample)"
BASELINE = "current prompt"
EVALUATORS = (
    "2signal_levenshtein",
    "agenta_similarity_match",
    "mastra_content_similarity",
    "axion_exact_string_match",
)


def load(project: Project, user: User | None) -> Experiment:
    """Create the sample and queue its scoring; if it exists already, return it."""
    if experiment := experiment_of(project):
        return experiment
    with transaction.atomic():
        experiment = create(project, user)
        score(experiment, user)
    return experiment


def create(project: Project, user: User | None, dataset: Dataset | None = None) -> Experiment:
    """The sample without its evaluators: complete runs, which nothing scores yet."""
    read = rows()
    used = dataset or dataset_of(project, user)
    experiment = experiments.create(project, user, QUESTION, used)
    for variant in read[0]["outputs"]:
        outputs = [{"key": row["key"], "output": row["outputs"][variant]} for row in read]
        runs.create(experiment, user, variant, outputs)
    experiments.set_baseline(experiment, BASELINE)
    return experiment


def dataset_of(project: Project, user: User | None) -> Dataset:
    """The new dataset of the sample."""
    return datasets.create(project, user, NAME, [_example(row) for row in rows()])


def evaluators_of(project: Project, user: User | None) -> list[Evaluator]:
    """The evaluators of the sample, created where they are missing."""
    return [evaluators.from_preset(project, user, BY_KEY[key]) for key in EVALUATORS]


def score(experiment: Experiment, user: User | None) -> None:
    """Let the evaluators of the sample score its runs; the first one decides, even if people labelled first."""
    used = evaluators_of(experiment.project, user)
    experiments.add_evaluators(experiment, used)
    experiments.set_primary(experiment, used[0])


def remove(project: Project) -> None:
    """Delete the sample, and its evaluators that nothing else uses; `Conflict` while it is being scored."""
    experiment = experiment_of(project)
    if experiment is None:
        return
    with transaction.atomic():
        sample_evaluators = {version.evaluator for version in experiments.versions_of(experiment)}
        datasets.delete(experiment.dataset)
        for evaluator in sample_evaluators:
            if not _is_used(evaluator):
                evaluators.delete(evaluator)


def experiment_of(project: Project) -> Experiment | None:
    """The sample's experiment, recognised by the names of experiment and dataset; None if they were changed."""
    return (
        Experiment.objects.live()
        .filter(project=project, name_key=name_key(QUESTION), dataset__name_key=name_key(NAME))
        .select_related("dataset", "project")
        .first()
    )


def is_sample(experiment: Experiment) -> bool:
    names = experiment.name_key, experiment.dataset.name_key
    return names == (name_key(QUESTION), name_key(NAME))


def is_of_sample(dataset: Dataset) -> bool:
    """Whether this is the dataset of the sample, by its name."""
    return dataset.name_key == name_key(NAME)


def _is_used(evaluator: Evaluator) -> bool:
    used = Experiment.objects.live().filter(evaluator_versions__evaluator=evaluator)
    return used.exists()


def rows() -> list[dict[str, Any]]:
    """The questions of the sample with the outputs of each variant."""
    stored = resources.files("evaluations.experiments") / "sample.jsonl"
    return [orjson.loads(line) for line in stored.read_bytes().splitlines()]


def area_of(row: dict[str, Any]) -> str:
    """A coarser topic, with enough questions for a subset."""
    return "money" if row["topic"] in ("billing", "seats") else "product"


def _example(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": row["key"],
        "inputs": {"question": row["question"]},
        "reference": {"answer": row["reference"]},
        "metadata": {"topic": row["topic"], "area": area_of(row)},
    }
