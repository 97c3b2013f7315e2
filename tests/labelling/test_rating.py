"""Raters get one item at a time, blind and leased; labels are facts, and a column of scores."""

from datetime import timedelta
from itertools import pairwise
from threading import Barrier, Thread

import numpy as np
import pytest
from django.db import connection

from evaluations import leases
from evaluations.errors import Conflict, Invalid
from evaluations.experiments import experiments
from evaluations.labelling import columns, raters, rating, sets, tasks
from evaluations.models import Label, LabelTask, Output, Rater, Run, Scoring, Seat
from evaluations.scoring import columns as score_columns
from evaluations.scoring import jobs, scoring
from evaluations.upkeep import purging
from tests import factories

pytestmark = pytest.mark.django_db


def rate(rater, answer, note=""):
    seat = rating.begin(rater)
    return rating.rate(rater, seat.item.token, seat.lease, answer, note)


def test_every_answer_is_asked_once_and_the_answers_to_an_example_never_follow_each_other(task, rater):
    examples, outputs = [], []
    while seat := rating.begin(rater):
        examples.append(seat.item.example)
        outputs.append(rating.shown(rater, seat).outputs[0])
        rating.rate(rater, seat.item.token, seat.lease, "pass")

    assert sorted(outputs) == ["Bern", "Lyon", "Oslo", "Paris", "Rom", "Rome"]
    assert all(one != other for one, other in pairwise(examples))


def test_reading_again_gives_the_same_item_and_more_time(task, rater):
    first = rating.begin(rater)
    Seat.objects.filter(pk=first.pk).update(lease_until=leases.now())

    held = rating.held(rater)

    assert held.pk == rating.begin(rater).pk == first.pk
    assert held.lease_until > leases.now() + timedelta(minutes=14)
    assert Seat.objects.get(pk=first.pk).lease_until > leases.now() + timedelta(minutes=14)


def test_two_people_never_hold_one_seat_and_a_lost_lease_is_refused(task, rater, bob, monkeypatch):
    other = rating.rater_of(task, bob)
    mine, theirs = rating.begin(rater), rating.begin(other)
    assert mine.pk != theirs.pk

    real = leases.now
    monkeypatch.setattr(leases, "now", lambda: real() + timedelta(minutes=16))
    Seat.objects.exclude(pk=mine.pk).update(is_done=True)
    assert rating.begin(other).pk == mine.pk
    with pytest.raises(Conflict) as refusal:
        rating.rate(rater, mine.item.token, mine.lease, "pass")
    assert refusal.value.code == "lease_lost"
    assert not Label.objects.exists()


def test_a_finished_item_is_refused(task, rater):
    seat = rating.begin(rater)
    rating.rate(rater, seat.item.token, seat.lease, "pass")

    with pytest.raises(Conflict):
        rating.rate(rater, seat.item.token, seat.lease, "fail")


def test_one_person_never_sits_twice_at_an_item(label_set, alice, variants):
    task = tasks.create(label_set, alice, variants[:1], tasks.Plan(size=3, seed=1, raters=2, overlap=1))
    rater = rating.rater_of(task, alice)
    while rating.begin(rater):
        rate(rater, "pass")

    assert Seat.objects.filter(item__task=task).count() == 9
    assert rater.labels.count() == 3


def test_undo_keeps_the_label_as_history_and_gives_the_item_back(task, rater):
    label = rate(rater, "pass", "looks right")

    seat = rating.undo(rater)

    assert seat.item_id == label.item_id
    assert Label.objects.get().withdrawn_at is not None
    rating.rate(rater, seat.item.token, seat.lease, "fail")
    assert [one.answer for one in Label.objects.filter(withdrawn_at=None)] == ["fail"]


@pytest.mark.parametrize("answer", ["maybe", "", "1"])
def test_an_unknown_answer_is_refused_and_the_item_stays(task, rater, answer):
    seat = rating.begin(rater)
    with pytest.raises(Invalid):
        rating.rate(rater, seat.item.token, seat.lease, answer)
    assert rating.held(rater).pk == seat.pk


def test_a_closed_task_gives_no_items(task, rater):
    seat = rating.begin(rater)
    tasks.close(task)
    rater = Rater.objects.get(pk=rater.pk)

    assert rating.begin(rater) is None
    with pytest.raises(Conflict):
        rating.rate(rater, seat.item.token, seat.lease, "pass")


# ---- columns -------------------------------------------------------------------------------------------------


def column(run):
    made = Scoring.objects.get(run=run, evaluator_version__kind="people")
    slots = score_columns.load(made.pk)
    return [None if np.isnan(value) else value for value in slots.values.tolist()], slots.passed.tolist()


def label_all(rater, by_output):
    while seat := rating.begin(rater):
        rating.rate(rater, seat.item.token, seat.lease, by_output.get(rating.shown(rater, seat).outputs[0]))


def test_labels_become_a_column_half_a_minute_later(task, rater, variants, monkeypatch):
    assert not columns.lack_labels(variants)
    label_all(rater, {"Paris": "pass", "Lyon": "fail"})
    columns.sweep()
    assert not Scoring.objects.filter(evaluator_version__kind="people").exists()
    assert columns.lack_labels(variants)
    assert raters.who_labelled(task.version, variants) == 0

    LabelTask.objects.update(changed_at=leases.now() - timedelta(seconds=31))
    columns.sweep()

    assert column(variants[0]) == ([1, 0, None], [1, 0, -1])
    assert LabelTask.objects.get().changed_at is None
    assert not columns.lack_labels(variants)
    assert raters.who_labelled(task.version, variants) == 1


def test_two_raters_count_by_their_mean_and_a_tie_neither_passes_nor_fails(label_set, alice, bob, variants):
    task = tasks.create(label_set, alice, variants[:1], tasks.Plan(size=3, seed=1, raters=2, overlap=0))
    label_all(rating.rater_of(task, alice), {"Paris": "pass", "Lyon": "pass", "Oslo": "fail"})
    label_all(rating.rater_of(task, bob), {"Paris": "pass", "Lyon": "fail"})
    tasks.close(task)

    assert column(variants[0]) == ([1, 0.5, 0], [1, -1, 0])


def test_scoring_again_keeps_labels_and_a_changed_answer_has_none(task, rater, variants):
    label_all(rater, {"Paris": "pass", "Lyon": "fail", "Oslo": "pass"})
    tasks.close(task)
    Output.objects.filter(run=variants[0], position=2).update(text="another")
    jobs.score_again(variants[0])
    while scoring.work(seconds=10):
        pass

    assert column(variants[0])[0] == [1, None, 1]


def test_labels_can_be_primary_and_another_guideline_stands_apart(task, rater, variants, alice):
    label_all(rater, {"Paris": "pass"})
    tasks.close(task)
    evaluator = task.version.evaluator
    experiments.set_primary(variants[0].experiment, evaluator)

    sets.change(evaluator, alice, {"guideline": "Only the city."})

    evaluator.refresh_from_db()
    assert evaluator.version == 2
    assert sets.config_of(sets.newest_of(evaluator)).guideline == "Only the city."
    assert Scoring.objects.filter(evaluator_version__evaluator=evaluator).count() == 2


@pytest.mark.parametrize(
    ("settings", "choices"),
    [
        ({}, ["pass", "fail"]),
        ({"answers": "labels", "labels": "good = 1, bad = 0"}, ["good", "bad"]),
        ({"answers": "scale", "minimum": 1, "maximum": 3}, ["1", "2", "3"]),
    ],
)
def test_the_answers_of_a_set_have_a_key_each(project, alice, settings, choices):
    evaluator = sets.create(project, alice, "asked", settings)
    assert [*sets.config_of(sets.newest_of(evaluator)).choices] == choices


@pytest.mark.parametrize(
    "settings",
    [{"answers": "labels"}, {"answers": "scale"}, {"answers": "scale", "minimum": 0, "maximum": 50}],
)
def test_a_set_without_answers_is_refused(project, alice, settings):
    with pytest.raises(Invalid):
        sets.create(project, alice, "asked", settings)


def test_a_purged_run_takes_its_items_and_labels_along(task, rater, variants):
    label_all(rater, {"Paris": "pass"})
    tasks.close(task)
    gone, kept = variants
    Run.objects.filter(pk=gone.pk).update(deleted_at=leases.now() - timedelta(days=8))

    purging.purge_runs()

    assert {label.item.run_id for label in Label.objects.select_related("item")} == {kept.pk}
    assert not Run.objects.filter(pk=gone.pk).exists()


# ---- real concurrency ----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_people_at_the_last_free_seat_at_once_never_both_get_it(project, alice, bob):
    run = factories.scored_run(factories.experiment(project, references=["a"]), ["x"])
    evaluator = sets.create(project, alice, "people", {})
    task = tasks.create(evaluator, alice, [run], tasks.Plan(size=1, seed=1, overlap=0))
    raters = [rating.rater_of(task, person) for person in (alice, bob)]
    tries = 1_000
    together, taken = Barrier(2), []

    def take(rater):
        for number in range(tries):
            together.wait()
            if seat := rating.begin(rater):
                taken.append((number, seat.lease))
            if together.wait() == 0:
                Seat.objects.update(rater=None, lease="", lease_until=None)
            together.wait()
        connection.close()

    threads = [Thread(target=take, args=(rater,)) for rater in raters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [number for number, _ in sorted(taken)] == list(range(tries))
