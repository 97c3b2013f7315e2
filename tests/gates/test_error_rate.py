"""The error rate of gates: 1 000 gates on runs that differ only by chance."""

import numpy as np
import pytest

from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from tests.comparisons import columns

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

GATES, SIZE = 1_000, 200
EVALUATORS = ("exact_match", "numeric_match", "levenshtein_similarity")


def scores(chance, difficulty):
    """Two sets of answers to the same examples: passes for the first two evaluators, fractions for the third."""
    passes = [(chance.random(SIZE) < difficulty).astype(float) for _ in range(2)]
    return [*passes, np.clip(difficulty + chance.normal(0, 0.2, SIZE), 0, 1)]


def test_at_most_5_of_100_gates_fail_a_run_that_is_no_worse(project):
    chance = np.random.default_rng(18)
    failed = 0
    experiment = columns.experiment(project, SIZE, EVALUATORS)
    versions = experiments.versions_of(experiment)
    criteria = [
        {"rule": "not_worse", "evaluator": version.evaluator_id, "margin": 0.02} for version in versions
    ]
    for number in range(GATES):
        difficulty = chance.beta(2, 2, SIZE)
        baseline, run = (columns.run(experiment, name, scores(chance, difficulty)) for name in ("old", "new"))
        gate = gates.create(project, None, f"gate {number}", Plan(baseline, criteria))
        failed += gates.check(gate, run).verdict == "fail"

    # 5 %, plus three standard deviations of 1 000 draws
    assert failed / GATES <= 0.05 + 3 * (0.05 * 0.95 / GATES) ** 0.5
