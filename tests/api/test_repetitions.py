"""Repetitions of a variant by the API."""

import pytest
from django.test import Client

from evaluations.engine import queue
from evaluations.experiments import runs as all_runs
from evaluations.launches import launches, order
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Launch, Output, Run, Scope
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.api.conftest import program

REFERENCES = [str(n) for n in range(12)]


def answers(wrong) -> list[str | None]:
    return ["wrong" if n in wrong else text for n, text in enumerate(REFERENCES)]


@pytest.fixture
def runs(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance", references=REFERENCES)
    outputs = [answers({0, 1, 2}), answers({0, 1, 3}), answers({0, 2, 3})]
    outputs[2][4] = None
    made = [factories.scored_run(experiment, texts, "a") for texts in outputs]
    factories.scored_run(experiment, answers(range(12)), "another")
    return made


def test_pass_at_k_pass_all_of_k_majority_and_flaky_examples(reader, runs):
    """Of 12 examples one is never right, one (1) once, one (4) twice with a silent attempt, two (2, 3) once, seven
    always: three attempts each."""
    answer = reader.get(f"runs/{runs[0].pk}/repetitions/?evaluator=exact match").json()

    assert (answer["n"], answer["examples"], answer["runs"]) == (3, 12, [run.pk for run in runs])
    assert answer["pass_at"] == {
        "1": pytest.approx((7 + 3 / 3 + 2 / 3) / 12),
        "2": pytest.approx((7 + 3 * 2 / 3 + 1) / 12),
        "3": pytest.approx(11 / 12),
    }
    assert answer["pass_all"]["2"] == pytest.approx((7 + 1 / 3) / 12)
    assert answer["pass_all"]["3"] == pytest.approx(7 / 12)
    assert answer["majority"] == pytest.approx(8 / 12)
    assert answer["flaky"] == ["k2", "k3", "k4", "k5"]
    assert (answer["always"], answer["never"]) == (7, 1)


def test_the_plan_compares_repetitions_with_as_many_calls_for_examples(reader, runs):
    two, five, examples = reader.get(f"runs/{runs[1].pk}/repetitions/").json()["plan"]

    assert (two["calls"], five["calls"], examples["calls"]) == (22, 55, 54)
    assert two["narrower"] < five["narrower"] < examples["narrower"]


def test_one_run_has_one_repetition(reader, project):
    run = factories.scored_run(factories.experiment(project))

    answer = reader.get(f"runs/{run.pk}/repetitions/").json()

    assert (answer["n"], answer["noise_share"], answer["plan"], answer["flaky"]) == (1, None, [], [])


def test_an_evaluator_without_verdicts_is_refused(reader, runs):
    answer = reader.get(f"runs/{runs[0].pk}/repetitions/?evaluator=levenshtein distance")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "no_verdicts")


@pytest.fixture
def launched(project, settings) -> Run:
    """A run of a prompt that has answered three examples, by a connection to nowhere."""
    return launch_of(project, settings, [""])[0]


def launch_of(project, settings, names) -> list[Run]:
    experiment = factories.experiment(project)
    project.default_connection = factories.connection(project, settings)
    project.save()
    prompt = prompts.create(
        project, None, "capital", Content([{"role": "user", "content": "{{question}}"}], model="m")
    )
    variants = [Variant(prompts.version_of(prompt), name) for name in names]
    launch = launches.create(experiment, None, variants, Plan(max_calls=5))
    for run in Run.objects.filter(generation__launch=launch):
        Output.objects.bulk_create(Output(run=run, position=n, text="Paris") for n in (1, 2, 3))
        queue.cancel_jobs(run)
        all_runs.score(run)
    Launch.objects.update(status=Launch.Status.COMPLETED)
    return list(Run.objects.filter(generation__launch=launch).order_by("pk"))


def completed(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(status=Run.Status.COMPLETED)


def test_repetitions_are_added_to_the_launch_of_a_run(project, launched):
    completed(launched)

    answer = program(project, Scope.RUN).post(f"runs/{launched.pk}/repetitions/", {"add": 2, "max_calls": 20})

    assert answer.status_code == 202
    launch = launched.generation.launch
    added = [Run.objects.get(pk=pk) for pk in answer.json()["runs"]]
    assert answer.json()["launch"] == launch.pk
    assert [run.generation.repetition for run in added] == [2, 3]
    assert {(run.variant, run.status) for run in added} == {(launched.variant, Run.Status.GENERATING)}
    assert [run.about for run in added] == [launched.about] * 2
    assert [count for *_, count in order.unanswered(added[0], order.positions(launch))] == [3]
    launch.refresh_from_db()
    assert (launch.status, launch.budget.max_calls, launch.repetitions) == (Launch.Status.RUNNING, 20, 3)


def test_an_estimate_of_repetitions_stores_nothing(project, launched):
    completed(launched)

    answer = program(project, Scope.RUN).post(
        f"runs/{launched.pk}/repetitions/", {"add": 2, "estimate_only": True}
    )

    assert answer.json()["estimate"]["calls"] == {"low": 6, "high": 6}
    assert Run.objects.count() == 1


def test_all_variants_of_a_launch_are_repeated_at_once(project, settings):
    both = launch_of(project, settings, ["short", "long"])
    for run in both:
        completed(run)
    address, body = f"runs/{both[1].pk}/repetitions/", {"add": 2, "all_variants": True}

    estimate = program(project, Scope.RUN).post(address, body | {"estimate_only": True}).json()["estimate"]
    answer = program(project, Scope.RUN).post(address, body)

    added = [Run.objects.get(pk=pk) for pk in answer.json()["runs"]]
    assert estimate["calls"] == {"low": 12, "high": 12}
    assert [(run.variant, run.generation.repetition) for run in added] == [
        ("short", 2),
        ("long", 2),
        ("short", 3),
        ("long", 3),
    ]


def test_nothing_is_repeated_while_a_variant_of_the_launch_is_not_complete(project, settings):
    both = launch_of(project, settings, ["short", "long"])
    completed(both[0])

    address = f"runs/{both[0].pk}/repetitions/"
    answer = program(project, Scope.RUN).post(address, {"add": 1, "all_variants": True})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_not_completed")
    assert answer.json()["error"]["message"].startswith("long is")
    assert Run.objects.count() == 2


def test_the_page_adds_repetitions_of_all_variants(project, settings, alice):
    both = launch_of(project, settings, ["short", "long"])
    for run in both:
        completed(run)
    browser, address = Client(), f"/runs/{both[0].pk}/repetitions/"
    browser.force_login(alice)

    html = " ".join(browser.get(address).content.decode().split())
    answer = browser.post(address, {"add": "1", "all_variants": "true"})

    assert "for all variants 6 calls" in html
    assert answer["Location"] == f"/launches/{both[0].generation.launch_id}/"
    assert Run.objects.count() == 4


def test_an_uploaded_run_is_not_repeated_here(project):
    run = factories.scored_run(factories.experiment(project))

    answer = program(project, Scope.RUN).post(f"runs/{run.pk}/repetitions/", {"add": 1})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_not_generated")


def test_the_page_says_what_a_repetition_is_and_adds_it(project, launched, alice):
    completed(launched)
    browser = Client()
    browser.force_login(alice)

    assert "Each is 3 calls" in " ".join(
        browser.get(f"/runs/{launched.pk}/repetitions/").content.decode().split()
    )
    answer = browser.post(f"/runs/{launched.pk}/repetitions/", {"add": "1"})

    assert answer["Location"] == f"/runs/{Run.objects.order_by('pk').last().pk}/"
    assert Run.objects.count() == 2
