"""Which changes become events, and that both are stored together."""

import pytest
from django.db import transaction
from django.urls import resolve

from evaluations.experiments import experiments, runs
from evaluations.gates import gates
from evaluations.launches import launches
from evaluations.models import Delivery, GateCheck, Generation, Launch, Project
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def stored_events():
    return list(Delivery.objects.values_list("event", flat=True))


def content_of_only():
    return Delivery.objects.get().content


def path_of(content):
    return content["link"].removeprefix("https://e.test").partition("?")[0]


def test_a_scored_run_is_an_event_once(project, hook, stub):
    hook(stub)
    run = factories.scored_run(factories.experiment(project))

    scoring.sweep()

    content = content_of_only()
    assert (stored_events(), content["run"], content["experiment"]) == (
        ["run.completed"],
        run.pk,
        run.experiment_id,
    )
    assert run.variant in content["sentence"]
    assert resolve(path_of(content)).kwargs == {"pk": run.pk}


def test_a_run_without_evaluators_is_an_event_too(project, hook, stub):
    hook(stub)
    experiment = experiments.create(project, None, "unscored", factories.dataset(project))

    runs.create(experiment, None, "v1", [{"position": 1, "output": "Paris"}])

    assert stored_events() == ["run.completed"]


def test_a_launch_is_an_event_once_when_its_last_run_is_completed(hook, stub, launch):
    hook(stub)
    first, last = (factories.run(launch.experiment, variant=name, start=False) for name in ("v1", "v2"))
    for run in (first, last):
        Generation.objects.create(run=run, launch=launch, model="m")
    told = []
    for run in (first, last, last):
        runs.score(run)
        while scoring.work(seconds=10):
            pass
        told.append(stored_events().count("launch.completed"))

    assert told == [0, 1, 1]
    assert stored_events().count("run.completed") == 3
    content = Delivery.objects.get(event="launch.completed").content
    assert content["launch"] == launch.pk
    assert "is completed: 2 runs." in content["sentence"]
    assert resolve(path_of(content)).kwargs == {"pk": launch.pk}


def test_a_launch_that_stops_is_an_event_once(hook, stub, launch):
    hook(stub)

    launches.stop(launch, Launch.Status.LIMIT)
    launches.stop(launch, Launch.Status.CANCELLED)

    content = content_of_only()
    assert (stored_events(), content["launch"], content["status"]) == (["launch.stopped"], launch.pk, "limit")
    assert resolve(path_of(content)).kwargs == {"pk": launch.pk}


@pytest.mark.parametrize(
    ("verdict", "expected"), [("fail", ["gate.failed"]), ("inconclusive", []), ("pass", [])]
)
def test_only_a_failed_check_is_an_event(project, hook, stub, verdict, expected):
    run = factories.scored_run(factories.experiment(project))
    plan = gates.Plan(run, [{"rule": "answered", "value": 0.5}])
    gate = gates.create(project, None, "ship", plan)
    hook(stub)

    gates.keep(
        GateCheck(
            gate=gate, run=run, verdict=verdict, is_green=False, sentence="Worse by 0.1.", hash=gate.hash
        )
    )

    assert stored_events() == expected


def test_a_rolled_back_change_sends_nothing(hook, stub, launch):
    hook(stub)

    with transaction.atomic():
        launches.stop(launch, Launch.Status.FAILED, {"code": "x", "message": "No answer."})
        transaction.set_rollback(True)

    assert stored_events() == []


def test_a_webhook_gets_only_the_events_it_names(hook, stub, launch):
    hook(stub, "run.completed", "gate.failed")

    launches.stop(launch, Launch.Status.LIMIT)

    assert stored_events() == []


def test_a_webhook_hears_nothing_of_other_projects(charlie, hook, stub):
    hook(stub)
    elsewhere = Project.objects.get(memberships__user=charlie)

    factories.scored_run(factories.experiment(elsewhere))

    assert stored_events() == []


def test_names_in_the_text_for_a_chat_mention_nobody(hook, stub, launch):
    hook(stub)

    launches.stop(launch, Launch.Status.FAILED, {"code": "x", "message": "<!channel> @here"})

    assert not {"<!channel>", "@here"} & set(content_of_only()["text"].split())


def test_a_gate_with_another_hash_is_an_event_and_a_renamed_one_is_none(project, hook, stub):
    run = factories.scored_run(factories.experiment(project))
    gate = gates.create(project, None, "ship", gates.Plan(run, [{"rule": "answered", "value": 0.5}]))
    first = gate.hash
    hook(stub)

    gates.change(gate, name="release")
    gates.change(gate, gates.Plan(run, [{"rule": "answered", "value": 0.9}]))
    second = gate.hash
    gates.undo(gate)

    contents = [delivery.content for delivery in Delivery.objects.order_by("pk")]
    assert [(content["previous"], content["hash"]) for content in contents] == [
        (first, second),
        (second, first),
    ]
    assert resolve(path_of(contents[0])).kwargs == {"pk": gate.pk}


@pytest.mark.parametrize(("wrong", "expected"), [(0, []), (1, []), (2, ["evaluator.failing"])])
def test_an_evaluator_that_fails_on_a_tenth_is_an_event(project, hook, stub, wrong, expected):
    evaluator = factories.evaluator(project, "numeric_match")
    references = ["1"] * (20 - wrong) + ["no number"] * wrong
    dataset = factories.dataset(project, references)
    experiment = experiments.create(project, None, "sums", dataset, [evaluator])
    hook(stub, "evaluator.failing")

    run = factories.scored_run(experiment, ["1"] * 20)

    assert stored_events() == expected
    for content in Delivery.objects.values_list("content", flat=True):
        assert (content["evaluator"], content["run"], content["errors"]) == (evaluator.pk, run.pk, wrong)
