"""Gates on their pages: set one from an experiment, check a run, read the verdict."""

import pytest

from evaluations.models import Gate, GateCheck, Run
from tests import factories


@pytest.fixture
def alices(as_user, alice):
    return as_user(alice)


@pytest.fixture
def pair(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    return [
        factories.scored_run(experiment, outputs, variant)
        for variant, outputs in (("old", ("Paris", "Rome", "b")), ("new", ("Paris", "a", "Oslo")))
    ]


def form(run, **criteria):
    return {"name": "ship", "baseline": run.pk, "missing": "worst"} | criteria


def address(run):
    return f"/p/default/gates/new/?experiment={run.experiment_id}"


@pytest.fixture
def gate(alices, pair):
    evaluator = pair[0].experiment.primary_id
    alices.post(address(pair[0]), form(pair[0], **{f"passes-{evaluator}": "on"}))
    return Gate.objects.get()


def test_the_fields_of_the_form_become_criteria(alices, pair):
    evaluator = pair[0].experiment.primary_id
    criteria = {
        f"margin-{evaluator}": "0.02",
        f"least-{evaluator}": "0.5",
        f"better-{evaluator}": "on",
        f"passes-{evaluator}": "on",
        "answered": "99",
        "examples": "3",
        "cost": "0.1",
        "latency": "1200",
    }

    response = alices.post(address(pair[0]), form(pair[0], accepts_inconclusive="on", **criteria))

    gate = Gate.objects.get()
    assert response["Location"] == f"/gates/{gate.pk}/"
    assert (gate.name, gate.baseline, gate.accepts_inconclusive) == ("ship", pair[0], True)
    assert gate.criteria == [
        {"rule": "not_worse", "evaluator": evaluator, "margin": 0.02},
        {"rule": "better", "evaluator": evaluator},
        {"rule": "at_least", "evaluator": evaluator, "value": 0.5, "figure": "mean"},
        {"rule": "no_new_failures", "evaluator": evaluator},
        {"rule": "answered", "value": 0.99},
        {"rule": "examples", "value": 3.0},
        {"rule": "cost", "value": 0.1},
        {"rule": "latency", "value": 1200.0},
    ]


@pytest.mark.parametrize("field", ["answered", "cost"])
def test_a_form_that_asks_nothing_or_nonsense_is_shown_again(alices, pair, field):
    assert alices.post(address(pair[0]), form(pair[0])).status_code == 400
    assert alices.post(address(pair[0]), form(pair[0], **{field: "-1"})).status_code == 400
    assert not Gate.objects.exists()


def test_a_check_from_the_page_is_kept_and_shown(alices, gate, pair):
    response = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})

    check = GateCheck.objects.get()
    assert response["Location"] == f"/gates/{gate.pk}/?check={check.pk}"
    page = alices.get(response["Location"]).content.decode()
    assert 'data-gate="fail"' in page
    # Rome is right in the baseline and wrong in the run.
    assert f'href="/runs/{pair[1].pk}/?row=2"' in page


def test_a_run_that_cannot_be_checked_is_refused_on_the_page(alices, gate, pair):
    Run.objects.filter(pk=pair[1].pk).update(status=Run.Status.RUNNING)

    response = alices.post(f"/gates/{gate.pk}/check/", {"run": pair[1].pk})

    assert response.status_code == 409
    assert not GateCheck.objects.exists()


@pytest.mark.parametrize("run", ["", "x", "4000000"])
def test_a_run_that_is_not_there_is_404(alices, gate, run):
    assert alices.post(f"/gates/{gate.pk}/check/", {"run": run}).status_code == 404


def test_locking_again_takes_what_there_is_now(alices, gate, pair):
    Run.objects.filter(pk=pair[0].pk).update(revision=1)
    before = gate.hash

    alices.post(f"/gates/{gate.pk}/lock/")

    gate.refresh_from_db()
    assert gate.hash != before
    assert gate.lock["baseline"] == {"run": pair[0].pk, "revision": 1}


def test_a_deleted_gate_comes_back_by_undo(alices, gate):
    alices.post(f"/gates/{gate.pk}/delete/")
    assert alices.get(f"/gates/{gate.pk}/").status_code == 404

    alices.post(f"/gates/{gate.pk}/restore/")
    assert alices.get(f"/gates/{gate.pk}/").status_code == 200


def test_the_list_has_the_newest_check_of_each_gate(alices, gate, pair):
    for run in (pair[1], pair[0]):
        alices.post(f"/gates/{gate.pk}/check/", {"run": run.pk})

    page = alices.get("/p/default/gates/").content.decode()

    assert ('data-gate="pass"' in page, 'data-gate="fail"' in page) == (True, False)


def test_strangers_see_no_gate(as_user, charlie, gate):
    client = as_user(charlie)

    assert client.get(f"/gates/{gate.pk}/").status_code == 404
    assert client.get("/p/default/gates/").status_code == 404
