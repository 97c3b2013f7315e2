"""Creates datasets, evaluators, runs and other objects for tests, by the product's own functions."""

import io
import json
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import File

from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.evaluators import connections, evaluators
from evaluations.experiments import edited_outputs, experiments, runs, samples
from evaluations.imports import imports
from evaluations.imports import outputs as file_outputs
from evaluations.imports.uploads import uploads
from evaluations.judges import allowances
from evaluations.models import (
    Connection,
    Dataset,
    Evaluator,
    Experiment,
    Import,
    LabelTask,
    OutputCopy,
    Project,
    Prompt,
    Rater,
    Run,
    Split,
    Upload,
)
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.prompts.named import Money
from evaluations.scoring import scoring

NOTHING, ENOUGH = Money(), Money(max_calls=10**6)
PAIRS = (("Paris", "Paris"), ("Lyon", "Rome"), ("Oslo", "Osla"))


def dataset(
    project: Project, references: Sequence[Any] = ("Paris", "Rome", "Oslo"), name: str = "capitals"
) -> Dataset:
    """A ready dataset with keys k1, k2, … and one input and one reference column."""
    examples = [
        {"key": f"k{n}", "inputs": {"question": f"q{n}"}, "reference": {"answer": reference}}
        for n, reference in enumerate(references, 1)
    ]
    return datasets.create(project, None, name, examples)


def questions(project: Project) -> Dataset:
    """Ten examples k1 to k10 of the inputs "question 1" to "question 10"; the even ones are on law."""
    rows = [
        {
            "key": f"k{n}",
            "inputs": {"q": f"question {n}"},
            "metadata": {"topic": "tax" if n % 2 else "law"},
        }
        for n in range(1, 11)
    ]
    return datasets.create(project, None, "questions", rows)


def split(of_dataset: Dataset, keys: Sequence[str] = ("k1", "k2")) -> Split:
    """A split of the examples with these keys."""
    return splits.create(of_dataset, None, "hard", Rule(keys=list(keys)))


def evaluator(project: Project, kind: str = "exact_match", name: str = "", **config: Any) -> Evaluator:
    return evaluators.create(project, None, name or kind.replace("_", " "), kind, config, {})


def connection(project: Project, settings: Any, name: str = "local") -> Connection:
    """A connection to an address of this machine at which nobody listens."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    return connections.create(project, None, name, "http://127.0.0.1:9/v1")


def prompt(
    project: Project, content: str = "Solve {{ question }}", name: str = "solve", maker: Any = None
) -> Prompt:
    """A prompt of one message."""
    return prompts.create(project, maker, name, Content([{"role": "user", "content": content}]))


def experiment(
    project: Project, *kinds: str, references: Sequence[Any] = ("Paris", "Rome", "Oslo")
) -> Experiment:
    """An experiment on `dataset` with an evaluator of each kind, by default exact match."""
    chosen_evaluators = [evaluator(project, kind) for kind in kinds or ("exact_match",)]
    return experiments.create(
        project, None, "which is closer", dataset(project, references), chosen_evaluators
    )


def run(
    in_experiment: Experiment,
    outputs: Sequence[Any] = ("Paris", "Lyon", "Oslo"),
    variant: str = "v1",
    **options: Any,
) -> Run:
    """A run with outputs by position, None for a missing one; queued unless `start=False`."""
    rows = [{"position": n, "output": output} for n, output in enumerate(outputs, 1) if output is not None]
    return runs.create(in_experiment, None, variant, rows, **options)


def paid_run(
    in_experiment: Experiment,
    outputs: Sequence[Any] = ("Paris", "Lyon", "Oslo"),
    variant: str = "v1",
    money: Money = ENOUGH,
) -> Run:
    """A queued run whose evaluators may call servers."""
    return allowances.start(run(in_experiment, outputs, variant, start=False), money)


def scored_run(
    in_experiment: Experiment,
    outputs: Sequence[Any] = ("Paris", "Lyon", "Oslo"),
    variant: str = "v1",
    money: Money = NOTHING,
) -> Run:
    """A run scored in this process by the engine."""
    new_run = paid_run(in_experiment, outputs, variant, money)
    while scoring.work(seconds=10):
        pass
    new_run.refresh_from_db()
    return new_run


def copy_outputs() -> None:
    """Copy what waits, as a worker does."""
    for pk in OutputCopy.objects.values_list("pk", flat=True):
        edited_outputs.work(pk)


def scored_sample(project: Project, user: User) -> Experiment:
    """The sample of the product, scored in this process."""
    experiment = samples.load(project, user)
    while scoring.work(seconds=10):
        pass
    return experiment


def imported(
    project: Project, content: str | bytes, filename: str = "rows.jsonl", mapping: Any = None, **options: Any
) -> Dataset:
    """A dataset from a file, read in this process; ready or failed."""
    upload = parked(project, content, filename)
    new_dataset = imports.begin(upload, options.pop("name", "imported"), mapping, **options)
    imports.run_import(Import.objects.get(dataset=new_dataset).pk)
    new_dataset.refresh_from_db()
    return new_dataset


def parked(project: Project, content: str | bytes, filename: str = "rows.jsonl") -> Upload:
    """An upload that is not confirmed yet."""
    encoded = content.encode() if isinstance(content, str) else content
    return uploads.park(project, None, File(io.BytesIO(encoded), name=filename))


def begin_outputs(upload: Upload, run: Run, mapping: dict[str, Any], *, start: bool = True) -> Run:
    """Queue a file with the outputs of a draft."""
    return imports.begin_outputs(upload, run, file_outputs.checked(upload, mapping), start=start)


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def rater(task: LabelTask, number: int) -> Rater:
    """A rater of a task without an account."""
    return Rater.objects.create(task=task, number=number)
