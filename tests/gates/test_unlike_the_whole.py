"""What a check says of subsets on which the run is worse, though it passes on all examples."""

import numpy as np
import pytest

from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.models import GateCheck, Project
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
SIZE, GERMAN = 300, 43


def checked(project: Project, german: float, others: float, *, limit: float = 0.1) -> GateCheck:
    """Of a run that differs from its baseline by so much on the German examples, and by so much on the others."""
    chance = np.random.default_rng(11)
    languages = [{"language": "de" if n < GERMAN else "en"} for n in range(SIZE)]
    experiment = columns.experiment(project, SIZE, ["rouge_l"], languages)
    base = chance.uniform(0.45, 0.55, SIZE)
    gain = np.where(np.arange(SIZE) < GERMAN, german, others) + chance.normal(0, 0.05, SIZE)
    runs = [columns.run(experiment, "terse", [base]), columns.run(experiment, "verbose", [base + gain])]
    criterion = {"rule": "at_least", "evaluator": experiment.primary_id, "value": limit}
    gate = gates.create(project, None, "ship", Plan(runs[0], [criterion]))
    return gates.check(gate, runs[1])


def test_a_pass_names_a_subset_on_which_the_run_is_worse(project):
    check = checked(project, german=-0.44, others=0.29)

    assert check.verdict == "pass"
    assert "met. But verbose is worse on de (\N{MINUS SIGN}0." in check.sentence
    assert "n = 43) by rouge_l" in check.sentence
    assert check.sentence.endswith("; no criterion looks at this subset.")


def test_a_pass_says_nothing_of_subsets_on_which_the_run_is_better(project):
    assert checked(project, german=0.4, others=0.1).sentence.endswith("the criterion is met.")


def test_a_preview_names_the_subset_too(project):
    gate = checked(project, german=-0.44, others=0.29).gate
    run = gate.dataset.experiments.get().runs.get(variant="verbose")

    _, [foreseen] = gates.preview(project, gates.plan_of(gate), [run])

    assert "verbose is worse on de" in foreseen.unlike


def test_a_fail_says_its_criterion_alone(project):
    check = checked(project, german=-0.44, others=0.29, limit=0.99)

    assert check.verdict == "fail"
    assert "subset" not in check.sentence


def test_a_split_on_which_the_run_is_worse_as_on_all_is_no_exception(project):
    assert "subset" not in checked(project, german=-0.4, others=-0.1).sentence
