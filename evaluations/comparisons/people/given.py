"""The single labels that people gave to the present answers of a run."""

from collections import defaultdict

import numpy as np

from evaluations.datasets import identities
from evaluations.models import EvaluatorVersion, Label, Run
from evaluations.scoring import coverage, records


def of_run(version: EvaluatorVersion, run: Run) -> dict[int, list[tuple[int, float]]]:
    """By position, raters and values: the last label of each who was sure, under a version of a label set."""
    given = Label.objects.filter(
        item__run=run, version=version, withdrawn_at=None, item__task__deleted_at=None
    )
    by_example: dict[int, list[Label]] = defaultdict(list)
    for label in given.select_related("item").order_by("pk"):
        by_example[label.item.example].append(label)
    every = coverage.positions(run).every
    present = identities.of_version(run.experiment.dataset, run.experiment.dataset_version)
    labelled = every[np.isin(present, list(by_example))].tolist()
    found = {}
    for position, (example, answer) in records.answered(run, labelled).items():
        last = {label.rater_id: label for label in by_example[example] if label.item.answer == answer}
        sure = [(rater, label.value) for rater, label in last.items() if label.value is not None]
        if sure:
            found[position] = sure
    return found
