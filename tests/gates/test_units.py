"""Gates write figures in the unit of the experiment, and name intervals as what they are."""

import json

import numpy as np
import pytest

from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.gates.wording import of_gate, sentence
from evaluations.statistics.wording import text
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def checked(project, runs, criterion):
    base, run = runs
    [version] = experiments.versions_of(base.experiment)
    gate = gates.create(project, None, "ship", Plan(base, [criterion | {"evaluator": version.evaluator_id}]))
    return gate, gates.check(gate, run)


def test_a_share_of_fields_is_per_cent_and_points_in_a_gate(project):
    records = [json.dumps({"city": f"c{n}", "total": n}) for n in range(40)]
    experiment = factories.experiment(project, "json_fields", references=records)
    wrong = [json.dumps({"city": "?", "total": n}) for n in range(40)]
    outputs = {"base": wrong[:20] + records[20:], "new": wrong[:4] + records[4:]}
    runs = [factories.scored_run(experiment, texts, name) for name, texts in outputs.items()]

    gate, check = checked(project, runs, {"rule": "not_worse", "margin": 0.02})

    [result] = check.results
    assert "is at most 2 points worse" in text(sentence(of_gate(gate), "base"))
    assert result["title"].endswith(": at most 2 points worse")
    assert result["words"].startswith("+20.0 points (")
    assert result["baseline_words"].replace("\u202f", " ") == "75.0 %"


@pytest.mark.parametrize(
    ("n", "gains", "losses", "level"), [(60, 13, 4, "90 and 95 %"), (200, 60, 40, "90 %")]
)
def test_an_interval_that_is_the_same_at_both_levels_is_called_so(project, n, gains, losses, level):
    experiment = columns.experiment(project, n, ["exact_match"])
    base = np.where(np.arange(n) < losses, 1.0, 0.0)
    new = np.where((np.arange(n) >= losses) & (np.arange(n) < losses + gains), 1.0, 0.0)
    runs = [columns.run(experiment, name, [scores]) for name, scores in (("base", base), ("new", new))]

    _, check = checked(project, runs, {"rule": "not_worse", "margin": 0.02})

    [result] = check.results
    assert (result["interval"] == result["interval_90"]) is (level != "90 %")
    assert f", {level} interval)" in result["words"].replace("\u202f", " ")


def test_an_interval_of_few_changes_is_called_a_bound(project):
    experiment = columns.experiment(project, 24, ["exact_match"])
    base = np.where(np.arange(24) < 4, 0.0, 1.0)
    runs = [
        columns.run(experiment, name, [scores]) for name, scores in (("base", base), ("new", base * 0 + 1))
    ]

    _, check = checked(project, runs, {"rule": "not_worse", "margin": 0.02})

    assert "+16.7 points (a bound, as few examples differ: " in check.results[0]["words"]
