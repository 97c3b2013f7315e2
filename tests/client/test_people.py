"""Labels, judges and passports from the command line and by methods, against a live server."""

import json

import pytest

from evalsite_client import Client
from evalsite_client.errors import Mistaken, Refused
from tests import judged, people
from tests.client.scripted import Answer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice)


@pytest.fixture
def run(evalsite, live_server, key):
    def run_verb(*arguments):
        ended = evalsite(*arguments, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run_verb


@pytest.mark.long
def test_a_passport_is_read_and_opened_from_a_terminal(run, stock):
    assert "Not checked against people." in run("judge", "passport", "judge")
    opened = run("judge", "open", "judge", "good answer")
    assert opened.startswith("judge v1 agrees with people on ")
    assert "opened 1 time" in opened
    assert "\nall variants " in opened
    assert "\nv2 " in opened
    assert json.loads(run("judge", "passport", "judge", "--json"))["held"]


def test_agreement_is_printed_with_what_is_not_held_against_people(run, project, stock):
    judged.judge(project, stock)
    told = run("labels", "agreement", "good answer")
    assert "\n160 answers labelled, " in told
    assert "Not checked against people: judge, model judge" in told


def test_what_people_say_of_a_run_is_printed(run, stock):
    told = run("labels", "mean", "v2", "--experiment", stock.experiment.name)
    assert told.startswith("People pass ")
    assert "From 80 labels, labels only" in told


@pytest.mark.long
def test_people_are_asked_and_their_labels_exported(run, stock):
    asked = run(
        "labels", "ask", "good answer", "v1", "v2", "--experiment", stock.experiment.name, "--size", 5
    )
    assert "open, 5 examples" in asked
    number = int(asked.split()[1])
    assert "ended" in run("labels", "task", number, "--close")
    lines = run("labels", "export", "good answer", "--task", stock.task.pk, "-o", "-").splitlines()
    assert len(lines) == 192
    assert json.loads(lines[0])["value"] in ("pass", "fail")


def test_labels_are_added_from_a_file(run, stock, tmp_path):
    (tmp_path / "labels.csv").write_text("position,label,rater\n1,pass,Ann\n2,fail,Ann\n")
    named = ("good answer", "v1", "labels.csv", "--experiment", stock.experiment.name, "--random")
    assert "2 labels of 1 rater added" in run("labels", "add", *named)


def test_verdicts_of_a_judge_are_printed_but_those_on_sealed_labels(run, project, stock):
    judged.judge(project, stock)
    said = run("judge", "verdicts", "model judge", "v1", "--experiment", stock.experiment.name).splitlines()
    assert 60 < len(said) < 120
    assert "because of" in said[0]


def test_a_judge_reads_a_run_for_named_money_and_is_waited_for(scripted):
    def judging(status):
        return {"id": 5, "run": 3, "status": status, "progress": {"done": 1, "total": 2}}

    server = scripted(
        Answer({"results": [{"key": "judge", "title": "Judge"}], "next": None}),
        Answer({"results": [{"id": 7, "name": "right"}], "next": None}),
        Answer({"id": 3}, 202),
        Answer({"results": [judging("running")], "next": None}),
        Answer(judging("running")),
        Answer(judging("completed")),
    )
    with Client(server.url, "evk_1", patience=0) as client:
        assert client.judge("right", 3, budget="0.50")["status"] == "completed"
        with pytest.raises(Mistaken):
            client.judge(7, 3)
    assert server.sent[2].path == "/api/v1/runs/3/scorings/"
    assert json.loads(server.sent[2].body) == {"evaluators": [7], "budget": "0.50"}


def test_too_few_labels_are_refused_with_their_code(live_server, key, project, alice):
    people.labelled(project, alice, examples=12, labels=4)
    with Client(live_server.url, key) as client, pytest.raises(Refused) as refused:
        client.open_passport("judge", "good answer")
    assert refused.value.code == "too_few_labels"
