"""Samples in which each group has its share, and every example the same chance."""

from collections import Counter

import pytest

from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.labelling import rating, sets, tasks
from evaluations.labelling.samples import spread
from evaluations.models import LabelItem
from tests import factories

pytestmark = pytest.mark.django_db
TOPICS = ["tax"] * 20 + ["law"] * 8 + ["other"] * 2


@pytest.fixture
def run(project):
    rows = [
        {"key": f"k{n}", "inputs": {}, "reference": {"a": "x"}, "metadata": {"topic": topic}}
        for n, topic in enumerate(TOPICS)
    ]
    dataset = datasets.create(project, None, "topics", rows)
    experiment = experiments.create(project, None, "answers", dataset, [factories.evaluator(project)])
    return factories.scored_run(experiment, ["y"] * 30)


def topics(positions):
    return Counter(TOPICS[position - 1] for position in positions)


def test_each_group_has_its_share_whatever_the_seed(run):
    for seed in range(20):
        drawn = spread([run], "topic", 15, seed, in_all=False)
        assert (drawn.probability, len({*drawn.positions})) == (0.5, 15)
        assert topics(drawn.positions) == {"tax": 10, "law": 4, "other": 1}


def test_every_example_has_the_same_chance(run):
    counted = Counter()
    for seed in range(600):
        counted.update(spread([run], "topic", 7, seed, in_all=False).positions)
    assert len(counted) == 30
    assert all(abs(count - 140) < 4.5 * (600 * 7 / 30 * 23 / 30) ** 0.5 for count in counted.values())


def test_a_sample_of_all_has_all(run):
    assert spread([run], "topic", 100, 1, in_all=False).positions == [*range(1, 31)]


def test_the_task_keeps_the_column_and_its_labels_are_for_estimates(project, alice, run):
    label_set = sets.create(project, alice, "people", {})
    plan = tasks.Plan(size=15, seed=1, drawn="groups", by="topic", hides_reference=True)
    task = tasks.create(label_set, alice, [run], plan)
    assert {*LabelItem.objects.values_list("probability", flat=True)} == {0.5}
    rater = rating.rater_of(task, alice)
    assert rating.shown(rater, rating.begin(rater)).expected == {}
    with pytest.raises(Invalid) as refused:
        tasks.create(label_set, alice, [run], tasks.Plan(size=15, seed=1, drawn="groups", by="colour"))
    assert refused.value.fields == {"by": ["The dataset has no metadata column “colour”."]}
