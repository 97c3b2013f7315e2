"""Samples of groups: each in its share, or some drawn more than others and weighed."""

from collections import Counter

import pytest

from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.labelling import facts, rating, sets, tasks
from evaluations.labelling.samples import answered, spread
from evaluations.models import LabelItem, Record
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


def drawn_of(run, size, seed):
    return spread(run.experiment.dataset, answered([run], in_all=False), "topic", size, seed)


def topics(positions):
    return Counter(TOPICS[position - 1] for position in positions)


def test_each_group_has_its_share_whatever_the_seed(run):
    for seed in range(20):
        drawn = drawn_of(run, 15, seed)
        assert (drawn.probability, len({*drawn.positions})) == (0.5, 15)
        assert topics(drawn.positions) == {"tax": 10, "law": 4, "other": 1}


@pytest.mark.long
def test_every_example_has_the_same_chance(run):
    counted = Counter()
    for seed in range(600):
        counted.update(drawn_of(run, 7, seed).positions)
    assert len(counted) == 30
    assert all(abs(count - 140) < 4.5 * (600 * 7 / 30 * 23 / 30) ** 0.5 for count in counted.values())


def test_a_sample_of_all_has_all(run):
    assert drawn_of(run, 100, 1).positions == [*range(1, 31)]


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


# ---- parts -----------------------------------------------------------------------------------------------------


def weighed(project, alice, runs, **plan):
    label_set = sets.create(project, alice, "weighed", {"purpose": "weighted"})
    return tasks.create(label_set, alice, runs, tasks.Plan(**{"seed": 3, "overlap": 0} | plan))


def told(task):
    return {part["name"]: (part["size"], part["drawn"]) for part in task.parts}


def test_each_group_equally_often_keeps_the_chance_of_every_example(project, alice, run):
    task = weighed(project, alice, [run], size=9, drawn="evenly", by="topic")
    assert told(task) == {"topic = tax": (20, 4), "topic = law": (8, 3), "topic = other": (2, 2)}
    items = task.items.values_list("example", "probability")
    assert {(TOPICS[example - 1], chance) for example, chance in items} == {
        ("tax", 4 / 20),
        ("law", 3 / 8),
        ("other", 1.0),
    }


def test_of_a_part_only_its_examples_are_drawn(project, alice, run):
    task = weighed(project, alice, [run], size=4, metadata=[("topic", "law")], population="topic = law")
    assert topics(task.items.values_list("example", flat=True)) == {"law": 4}
    assert told(task) == {"topic = law": (8, 4), "the others": (22, 0)}


def test_more_are_drawn_where_two_variants_differ(project, alice):
    experiment = factories.experiment(project, references=["x"] * 40)
    old = factories.scored_run(experiment, ["x"] * 40, "old")
    new = factories.scored_run(experiment, ["y"] * 10 + ["x"] * 30, "new")
    task = weighed(project, alice, [old, new], size=16, drawn="differing")
    assert told(task) == {"scores differ": (10, 10), "scores are alike": (30, 6)}


def test_a_reading_list_is_rated_in_its_order(project, alice, run):
    label_set = sets.create(project, alice, "read", {"purpose": "reading"})
    plan = tasks.Plan(size=5, seed=1, overlap=0, drawn="chosen", positions=[9, 4, 7, 2, 30])
    task = tasks.create(label_set, alice, [run], plan)
    assert [*task.items.order_by("rank").values_list("example", flat=True)] == [2, 4, 7, 9, 30]


@pytest.mark.parametrize(
    ("purpose", "plan"),
    [
        ("estimate", {"drawn": "evenly", "by": "topic"}),
        ("estimate", {"positions": [1, 2, 3]}),
        ("weighted", {}),
        ("weighted", {"drawn": "chosen", "positions": [1]}),
        ("reading", {"drawn": "evenly", "by": "topic"}),
    ],
)
def test_samples_that_are_weighed_otherwise_share_no_label_set(project, alice, run, purpose, plan):
    label_set = sets.create(project, alice, "one", {"purpose": purpose})
    with pytest.raises(Invalid) as refused:
        tasks.create(label_set, alice, [run], tasks.Plan(**{"size": 5, "seed": 1} | plan))
    assert [*refused.value.fields] == ["label_set"]


def test_a_trial_never_counts(project, alice, run):
    label_set = sets.create(project, alice, "people", {})
    trial = tasks.create(
        label_set,
        alice,
        [run],
        tasks.Plan(size=5, seed=1, overlap=0, drawn="trial", metadata=[("topic", "tax")]),
    )
    rater = rating.rater_of(trial, alice)
    seat = rating.begin(rater)
    rating.rate(rater, seat.item.token, seat.lease, "pass")
    tasks.close(trial)
    assert {*trial.items.values_list("probability", flat=True)} == {None}
    assert facts.of_run(sets.newest_of(label_set), run) == {}
    assert not Record.objects.exists()
