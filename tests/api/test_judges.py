"""Judges over the REST API: made, estimated, paid, read, tried, stopped."""

import pytest
from django.utils import timezone

from evaluations.evaluators import connections
from evaluations.judges import judgings
from evaluations.prompts import prices
from tests.judges.conftest import CONFIG, right_is_paris, said, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def connection(project, settings, serve):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = connections.create(project, None, "models", serve(right_is_paris).url, "k-secret-123")
    prices.set_price(server, "tiny", 1_000_000, 1_000_000, None, timezone.now().date())
    return server


@pytest.fixture
def judge(writer, connection):
    body = {"name": "Right", "kind": "judge", "config": CONFIG, "connection": connection.pk}
    made = writer.post("evaluators/", body)
    assert made.status_code == 201, made.json()
    return made.json()


def test_a_judge_is_made_with_its_connection_and_keeps_its_version_when_that_changes(
    writer, judge, connection
):
    assert (judge["kind"], judge["connection"], judge["version"]) == ("judge", connection.pk, 1)
    changed = writer.patch(f"evaluators/{judge['id']}/", {"connection": None}).json()
    assert (changed["connection"], changed["version"]) == (None, 1)


def test_a_column_waits_until_money_is_named(writer, completed, judge):
    run = f"runs/{completed['id']}/"
    asked = {"evaluators": [judge["id"]]}
    [estimate] = writer.post(f"{run}scorings/", asked | {"estimate_only": True}).json()["estimates"]
    assert (estimate["evaluator"], estimate["texts"]) == (judge["id"], 3)
    assert 0 < estimate["cost"] < 0.01
    assert writer.post(f"{run}scorings/", asked).status_code == 202
    work()
    [waiting] = [s for s in writer.get(run).json()["scorings"] if s["evaluator"]["id"] == judge["id"]]
    assert (waiting["n"], waiting["counts"]["not_sent"]) == (0, 3)

    assert writer.post(f"{run}scorings/", asked | {"budget": "0.10"}).status_code == 202
    work()
    [paid] = [s for s in writer.get(run).json()["scorings"] if s["evaluator"]["id"] == judge["id"]]
    assert (paid["n"], paid["counts"]["scored"]) == (3, 3)
    [judging] = writer.get(f"judgings/?run={completed['id']}").json()["results"]
    assert (judging["status"], judging["progress"]["given"], judging["spent"]) == ("completed", 3, "0.00033")
    verdicts = writer.get(f"{run}verdicts/?evaluator={judge['id']}").json()["results"]
    assert {verdict["reason"] for verdict in verdicts} == {"It must be Paris."}
    assert {(v["tokens_in"], v["tokens_out"], v["model"]) for v in verdicts} == {(100, 10, "tiny-1")}


@pytest.mark.long
def test_a_new_run_is_judged_if_its_body_names_money(writer, completed, judge):
    writer.post(f"experiments/{completed['experiment']}/evaluators/", {"evaluators": [judge["id"]]})
    work()
    outputs = [{"position": n, "output": "Paris"} for n in (1, 2, 3)]
    body = {"experiment": completed["experiment"], "outputs": outputs}

    unpaid = writer.post("runs/", body | {"variant": "unpaid"}).json()
    paid = writer.post("runs/", body | {"variant": "paid", "max_calls": 3}).json()
    work()
    judgings.sweep()  # the column, if the judge was faster than the other scores

    counts = [
        next(
            s
            for s in writer.get(f"runs/{run['id']}/").json()["scorings"]
            if s["evaluator"]["kind"] == "judge"
        )
        for run in (unpaid, paid)
    ]
    assert [scoring["counts"]["scored"] for scoring in counts] == [0, 3]


def test_a_rubric_is_tried_on_a_few_rows_before_it_is_saved(writer, completed, connection):
    body = {
        "purpose": "try",
        "run": completed["id"],
        "positions": [1, 2],
        "config": CONFIG,
        "connection": connection.pk,
    }
    refused = writer.post("judgings/", body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "budget_required")
    tried = writer.post("judgings/", body | {"budget": "0.01"})
    assert tried.status_code == 202, tried.json()
    work()
    judging = writer.get(f"judgings/{tried.json()['id']}/").json()
    assert (judging["status"], judging["evaluator"], judging["progress"]["done"]) == ("completed", None, 2)
    said_now = writer.get(f"judgings/{judging['id']}/verdicts/").json()["results"]
    assert len({verdict["example"] for verdict in said_now}) == 2


def test_ten_attacks_are_counted(writer, completed, project, settings, serve):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def is_talked_round(request):
        shown = request["messages"][1]["content"]
        return said("pass" if "SYSTEM:" in shown else "fail")

    server = connections.create(project, None, "weak", serve(is_talked_round).url, "k-secret-123")
    body = {"name": "Weak", "kind": "judge", "config": CONFIG, "connection": server.pk}
    judge = writer.post("evaluators/", body).json()
    asked = {"purpose": "attacks", "run": completed["id"], "positions": [1], "evaluator": judge["id"]}
    begun = writer.post("judgings/", asked | {"max_calls": 20})
    assert begun.status_code == 202, begun.json()
    work()
    assert writer.get(f"judgings/{begun.json()['id']}/").json()["attacks"] == {
        "asked": 10,
        "withstood": 9,
        "won": [3],
    }
    checks = writer.get(f"evaluators/{judge['id']}/checks/").json()
    assert checks["attacks"]["withstood"] == 9
    assert checks["models"] == ["tiny-1"]


def test_the_same_answers_again_show_how_often_a_verdict_changes(writer, completed, project, settings, serve):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    turn = iter(["pass"] * 5 + ["fail"] + ["pass"] * 9)
    server = connections.create(project, None, "moody", serve(lambda _: said(next(turn))).url, "k-secret-123")
    body = {"name": "Moody", "kind": "judge", "config": CONFIG, "connection": server.pk}
    judge = writer.post("evaluators/", body).json()
    run = f"runs/{completed['id']}/"
    writer.post(f"{run}scorings/", {"evaluators": [judge["id"]], "max_calls": 3})
    work()
    asked = {"purpose": "repeats", "run": completed["id"], "positions": [1, 2], "evaluator": judge["id"]}
    assert writer.post("judgings/", asked | {"max_calls": 4}).status_code == 202
    work()
    known = writer.get(f"evaluators/{judge['id']}/checks/").json()["repeatability"]
    assert known == {"asked": 2, "changed": 1, "samples": 6, "model": "tiny-1"}


def test_a_request_computes_no_verdicts(writer, judge):
    refused = writer.post("score/", {"kind": "judge", "config": CONFIG, "items": [{"actual": "a"}]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "evaluator_is_asked")


def test_only_judges_are_asked(writer, completed, evaluator):
    body = {"purpose": "try", "run": completed["id"], "positions": [1], "max_calls": 1}
    refused = writer.post("judgings/", body | {"evaluator": evaluator["id"]})
    assert refused.status_code == 404
    assert writer.post("judgings/", body).json()["error"]["code"] == "invalid_judging"
