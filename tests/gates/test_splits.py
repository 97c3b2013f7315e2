"""Gates on a split: only its examples count, and the hash covers its definition."""

import pytest

from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.errors import Conflict
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.models import Gate, Run, Split
from tests import factories

pytestmark = pytest.mark.django_db
SIZE = 20


@pytest.fixture
def runs(project) -> tuple[Run, Run]:
    """A baseline that is right everywhere, and a run that is wrong on the first half."""
    experiment = factories.experiment(project, references=["Paris"] * SIZE)
    right = factories.scored_run(experiment, ["Paris"] * SIZE, "v1")
    return right, factories.scored_run(experiment, ["Rome"] * 10 + ["Paris"] * 10, "v2")


@pytest.fixture
def late(runs) -> Split:
    keys = [f"k{n}" for n in range(11, SIZE + 1)]
    return splits.create(runs[0].experiment.dataset, None, "late", Rule(keys=keys))


def gate_on(split: Split | None, runs: tuple[Run, Run]) -> Gate:
    evaluator = runs[0].scorings.get().evaluator_version.evaluator_id
    criterion = {"rule": "at_least", "evaluator": evaluator, "value": 0.9}
    return gates.create(runs[0].project, None, f"ship {split}", Plan(runs[0], [criterion], split=split))


def test_only_the_examples_of_the_split_count(runs, late):
    whole, part = gates.check(gate_on(None, runs), runs[1]), gates.check(gate_on(late, runs), runs[1])

    assert (whole.verdict, part.verdict) == ("fail", "pass")
    assert "10 examples of the split late" in part.sentence


def test_a_split_that_is_defined_otherwise_makes_checks_changed(runs, late):
    gate = gate_on(late, runs)
    splits.change(late, rule=Rule(keys=["k1"]))
    gate.refresh_from_db()

    assert gates.check(gate, runs[1]).verdict == "changed"
    gates.change(gate, gates.plan_of(gate))
    assert gates.check(gate, runs[1]).verdict == "fail"


def test_a_split_with_another_name_is_the_same(runs, late):
    gate = gate_on(late, runs)
    splits.change(late, name="hard")
    gate.refresh_from_db()

    assert gates.check(gate, runs[1]).verdict == "pass"


def test_a_deleted_split_makes_checks_changed(runs, late):
    gate = gate_on(late, runs)
    splits.delete(late)
    gate = Gate.objects.get(pk=gate.pk)

    assert gates.check(gate, runs[1]).verdict == "changed"
    with pytest.raises(Conflict):
        gates.change(gate, gates.plan_of(gate))


def test_a_split_that_is_gone_for_good_makes_checks_changed(runs, late):
    gate = gate_on(late, runs)
    late.delete()

    assert gates.check(Gate.objects.get(pk=gate.pk), runs[1]).verdict == "changed"


def test_undo_takes_back_another_split(runs, late):
    gate = gate_on(late, runs)
    before = gate.hash
    gates.change(gate, Plan(runs[0], gate.criteria))
    assert gate.hash != before

    gates.undo(gate)

    assert (gate.split, gate.hash) == (late, before)


def test_a_gate_without_a_split_holds_what_it_always_held(runs):
    assert "split" not in gate_on(None, runs).lock
