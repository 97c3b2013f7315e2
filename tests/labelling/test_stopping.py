"""A task ends itself by its rule, and only then."""

import pytest

from evaluations.errors import Invalid
from evaluations.labelling import columns, facts, rating, stopping, tasks
from evaluations.models import LabelTask
from evaluations.statistics.intervals import wilson
from tests import factories

pytestmark = pytest.mark.django_db
SIZE = 120


@pytest.fixture
def two(project):
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(SIZE)])
    return [
        factories.scored_run(experiment, [f"{name} {n}" for n in range(SIZE)], name)
        for name in ("old", "new")
    ]


def rate(task, alice, answer, count):
    rater = rating.rater_of(task, alice)
    for _ in range(count):
        seat = rating.begin(rater)
        [output] = rating.shown(rater, seat).outputs
        rating.rate(rater, seat.item.token, seat.lease, answer(output))
    columns.publish(LabelTask.objects.get(pk=task.pk))
    task.refresh_from_db()


def is_right(output):
    """Old and new are right on every second example, by turns."""
    name, number = output.split()
    return (int(number) + (name == "new")) % 2


def task_of(label_set, alice, runs, **stop):
    return tasks.create(label_set, alice, runs, tasks.Plan(size=SIZE, seed=1, overlap=0, stop=stop))


@pytest.mark.long
def test_a_task_ends_when_its_interval_is_narrow_enough(label_set, alice, two):
    task = task_of(label_set, alice, two[:1], by="width", width=0.15)

    rate(task, alice, lambda output: "pass", 29)
    assert task.closed_at is None
    rate(task, alice, lambda output: "pass", 1)

    assert task.closed_at is not None
    low, high = wilson(30, 30)
    assert (task.stop["ended"]["low"], task.stop["ended"]["high"]) == (low, high)


@pytest.mark.long
def test_a_wide_interval_goes_on(label_set, alice, two):
    task = task_of(label_set, alice, two[:1], by="width", width=0.1)
    rate(task, alice, lambda output: "pass" if int(output.split()[1]) % 2 else "fail", 60)
    assert task.closed_at is None


@pytest.mark.long
def test_a_clear_difference_ends_a_task_at_a_look(label_set, alice, two):
    task = task_of(label_set, alice, two, by="decided", margin=0.05)
    rate(task, alice, lambda output: "pass" if output.startswith("new") else "fail", 2 * SIZE - 20)

    assert task.stop["ended"]["outcome"] == "better"
    assert task.stop["ended"]["n"] in (50, 100)
    assert task.stop["ended"]["low"] > 0


@pytest.mark.long
def test_an_even_task_is_not_decided_early(label_set, alice, two):
    task = task_of(label_set, alice, two, by="decided", margin=0.05)
    rate(task, alice, lambda output: "pass" if is_right(output) else "fail", 2 * SIZE - 20)

    assert task.closed_at is None
    assert len(facts.of_run(task.version, two[0])) >= 100


@pytest.mark.parametrize(
    "stop", [{"by": "width"}, {"by": "width", "width": 2}, {"by": "decided", "margin": 0}]
)
def test_a_rule_without_its_number_is_refused(label_set, alice, two, stop):
    with pytest.raises(Invalid):
        task_of(label_set, alice, two, **stop)


def test_one_variant_cannot_be_decided(label_set, alice, two):
    with pytest.raises(Invalid):
        task_of(label_set, alice, two[:1], by="decided", margin=0.05)


def test_a_task_without_a_rule_is_never_looked_at(label_set, alice, two):
    task = tasks.create(label_set, alice, two[:1], tasks.Plan(size=40, seed=1, overlap=0))
    assert stopping.look_at(task) is None
