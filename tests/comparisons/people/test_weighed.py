"""Labels of samples of which some parts are drawn more than others: estimates weigh the parts by their size."""

import numpy as np
import pytest

from evaluations.comparisons import opinions
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.comparisons.people import held
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.labelling import sets, tasks
from tests import factories, people

pytestmark = pytest.mark.django_db
EXAMPLES, RARE = 300, 30


@pytest.fixture
def runs(project):
    rows = [
        {
            "key": f"k{n}",
            "inputs": {},
            "reference": {"a": "x"},
            "metadata": {"tongue": "fi" if n < RARE else "en"},
        }
        for n in range(EXAMPLES)
    ]
    dataset = datasets.create(project, None, "tongues", rows)
    experiment = experiments.create(project, None, "answers", dataset, [factories.evaluator(project)])
    return [factories.scored_run(experiment, ["x"] * EXAMPLES, name) for name in ("old", "new")]


@pytest.fixture
def truth():
    """New is right on all English answers and on no Finnish one, old on half of all."""
    old = np.arange(EXAMPLES) % 2
    return np.array([old, np.arange(EXAMPLES) >= RARE], float)


@pytest.fixture
def ask(project, alice, runs, truth):
    def asked(**plan):
        label_set = sets.create(project, alice, "good", {"purpose": "weighted"})
        task = tasks.create(label_set, alice, runs, tasks.Plan(**{"seed": 1, "overlap": 0} | plan))
        people._rate(task, runs, truth, np.random.default_rng(1), 1)
        experiments.set_primary(runs[0].experiment, label_set)
        return label_set

    return asked


def formula(runs):
    """The evaluator of the experiment that is no label set."""
    scoring = runs[0].scorings.exclude(evaluator_version__kind="people").get()
    return scoring.evaluator_version.evaluator


def compared(runs, **options):
    fresh = list(runs[0].experiment.runs.select_related("experiment__dataset", "project").order_by("pk"))
    return Comparison(fresh, fresh[0], **options)


def test_the_parts_of_a_difference_are_weighed_by_their_size(ask, runs, truth):
    label_set = ask(size=60, drawn="evenly", by="tongue")
    comparison = compared(runs)
    entry = comparison.figures.entries_of(label_set)[0]

    parts = {part.name: (part.size, part.labelled, part.mean) for part in entry.helped.strata}
    assert (parts["tongue = fi"][:2], parts["tongue = en"][:2]) == ((30, 30), (270, 30))
    expected = sum(size * mean for size, _, mean in parts.values()) / EXAMPLES
    assert entry.paired.difference == pytest.approx(expected)
    assert entry.paired.mean - entry.paired.baseline_mean == pytest.approx(expected)
    low, high = entry.paired.interval
    assert low < float((truth[1] - truth[0]).mean()) < high
    assert (entry.paired.verdict, entry.helper, entry.paired.method) == ("better", None, "weighted")
    assert "weighed by the size of their parts" in comparison.sentence.text


def test_the_opinion_of_a_run_weighs_them_too(ask, runs, truth):
    ask(size=60, drawn="evenly", by="tongue")
    [found] = [one for one in opinions.of(runs[1]) if one.label_set.name == "good"]
    assert found.found.value == pytest.approx(0.9)
    assert [(part.name, part.mean) for part in found.parts] == [("tongue = fi", 0.0), ("tongue = en", 1.0)]


def test_labels_of_a_part_speak_for_that_part_only(ask, runs):
    label_set = ask(size=30, metadata=[("tongue", "fi")], population="tongue = fi")

    entry = compared(runs).figures.entries_of(label_set)[0]
    assert entry.paired.verdict is None
    assert "every part that is compared" in entry.paired.reason

    inside = compared(runs, example_filter=ExampleFilter((("tongue", "fi"),)))
    assert inside.figures.entries_of(label_set)[0].paired.verdict == "worse"

    [found] = [one for one in opinions.of(runs[1]) if one.label_set == label_set]
    assert "of the answers of new (tongue = fi)" in found.sentence
    assert found.found.value == 0


def test_beside_another_primary_evaluator_they_give_no_verdict(ask, runs):
    label_set = ask(size=60, drawn="evenly", by="tongue")
    experiments.set_primary(runs[0].experiment, formula(runs))
    entry = compared(runs).figures.entries_of(label_set)[0]
    assert (entry.standing, entry.paired.verdict) == ("weighted", None)


def test_a_gate_weighs_them_and_refuses_a_plain_mean_of_them(project, ask, runs):
    label_set = ask(size=60, drawn="evenly", by="tongue")
    rule = {"rule": "better", "evaluator": label_set.pk}
    gate = gates.create(project, None, "people", gates.Plan(runs[0], [rule]))
    experiments.set_primary(runs[0].experiment, formula(runs))
    assert gates.check(gate, runs[1]).results[0]["verdict"] == "pass"
    with pytest.raises(Invalid) as refused:
        gates.create(
            project,
            None,
            "mean",
            gates.Plan(runs[0], [{"rule": "at_least", "evaluator": label_set.pk, "value": 0.5}]),
        )
    assert "criteria/0/evaluator" in refused.value.fields


def test_no_evaluator_is_held_against_them(ask, runs):
    label_set = ask(size=60, drawn="evenly", by="tongue")
    assert not held.fits(sets.newest_of(formula(runs)), label_set)
