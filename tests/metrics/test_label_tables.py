"""Statistics of label tables equal those of scikit-learn (tests/data/label_statistics.json names its functions)."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluations.metrics import label_tables
from evaluations.metrics.label_tables import Sums

CASES = json.loads((Path(__file__).parents[1] / "data/label_statistics.json").read_text())["cases"]


def sums(case):
    number = {label: n for n, label in enumerate(case["labels"])}
    references = np.array([number[label] for label in case["references"]])
    answers = np.array([number.get(label, len(number)) for label in case["answers"]])
    return label_tables.cells(references, answers, len(number)).sum(axis=0)[None, :]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_statistics_are_scikit_learns(case):
    rows = sums(case)

    computed = {name: getattr(label_tables, name)(rows)[0] for name in case["statistics"]}

    assert computed == pytest.approx(case["statistics"], abs=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_figures_of_labels_are_scikit_learns(case):
    rows = sums(case)

    for name in ("precision", "recall", "f1"):
        assert getattr(label_tables, name)(rows)[0] == pytest.approx(case[name], abs=1e-9)
    assert Sums.of(rows).references[0].tolist() == case["support"]


def test_what_is_undefined_is_zero():
    nothing = np.zeros((1, 7))

    assert [f(nothing)[0] for f in (label_tables.macro_f1, label_tables.mcc, label_tables.kappa)] == [0, 0, 0]


def test_a_label_without_references_does_not_lower_the_mean_of_labels():
    rows = label_tables.cells(np.array([0, 0]), np.array([0, 1]), 2).sum(axis=0)[None, :]

    assert label_tables.macro_f1(rows)[0] == pytest.approx(2 / 3)
