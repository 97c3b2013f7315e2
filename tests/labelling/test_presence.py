"""Items that nobody can answer are not offered, and do not count as open; labels already given stay."""

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.labelling import presence, rating, tasks
from evaluations.models import Dataset, Example, Experiment, Label, OutputCopy
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db


def progress(task):
    task.refresh_from_db()
    told = tasks.progress(task)
    return told.done, told.total


def moved(experiment, number=None):
    """The experiment uses another version of its dataset, and a sweep has passed."""
    experiments.use_dataset_version(experiment, number)
    presence.sweep()
    factories.copy_outputs()
    while scoring.work(seconds=10):
        pass
    presence.sweep()


def left(dataset, position):
    """The next version, without one example."""
    datasets.next_version(dataset, None, -1, "left")
    Example.objects.filter(dataset=dataset, position=position).update(removed_in=dataset.version)


@pytest.mark.long
def test_examples_that_left_a_version_are_not_open_and_come_back_with_it(task, rater, variants):
    experiment = variants[0].experiment
    assert progress(task) == (0, 6)
    left(experiment.dataset, 2)

    moved(experiment)
    assert progress(task) == (0, 4)
    seen = set()
    while seat := rating.begin(rater):
        seen.add(seat.item.example)
        rating.rate(rater, seat.item.token, seat.lease, "pass")
    assert (seen, progress(task)) == ({1, 3}, (4, 4))

    moved(experiment, 1)
    assert progress(task) == (4, 6)
    assert rating.begin(rater).item.example == 2


def test_a_label_stays_although_its_example_left(task, rater, variants):
    seat = rating.begin(rater)
    rating.rate(rater, seat.item.token, seat.lease, "pass")
    left(variants[0].experiment.dataset, seat.item.example)
    moved(variants[0].experiment)
    assert Label.objects.filter(withdrawn_at=None).count() == 1
    assert progress(task) == (1, 5)


def test_while_answers_are_copied_nothing_is_said_of_them(task, variants):
    experiment = variants[0].experiment
    Experiment.objects.filter(pk=experiment.pk).update(dataset_version=2)
    OutputCopy.objects.create(experiment=experiment, source=1, target=2, total=1)
    presence.sweep()
    task.refresh_from_db()
    assert task.dataset_version == 1


def test_a_task_about_deleted_runs_is_not_listed_until_they_are_restored(task, rater, variants):
    experiment = variants[0].experiment
    Experiment.objects.filter(pk=experiment.pk).update(deleted_at="2026-01-01T00:00:00Z")
    assert (list(presence.shown()), progress(task), rating.begin(rater)) == ([], (0, 0), None)
    Experiment.objects.filter(pk=experiment.pk).update(deleted_at=None)
    assert list(presence.shown()) == [task]
    Dataset.objects.filter(pk=experiment.dataset_id).update(deleted_at="2026-01-01T00:00:00Z")
    assert list(presence.shown()) == []
