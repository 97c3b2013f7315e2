"""Gates by the API: a pipeline creates one, checks its runs, and gets the verdict in the format it reads."""

import pytest

from evaluations.models import AuditEntry, GateCheck

from .conftest import score_all


def run_of(writer, experiment, variant, *outputs):
    rows = [{"position": n, "output": output} for n, output in enumerate(outputs, 1)]
    body = {"experiment": experiment["id"], "variant": variant, "outputs": rows}
    run = writer.create("runs/", body)
    score_all()
    return run


@pytest.fixture
def baseline(writer, experiment):
    return run_of(writer, experiment, "old", "Paris", "Rome", "Lisbon")


@pytest.fixture
def candidate(writer, experiment):
    return run_of(writer, experiment, "new", "Paris", "Genoa", "Madrid")


@pytest.fixture
def body(dataset, evaluator, baseline):
    return {
        "name": "ship",
        "dataset": dataset["id"],
        "baseline": baseline["id"],
        "criteria": [{"rule": "no_new_failures", "evaluator": evaluator["id"]}],
    }


@pytest.fixture
def gate(writer, body):
    return writer.create("gates/", body)


def test_a_new_gate_is_answered_with_its_hash(gate, body, reader):
    assert {name: gate[name] for name in body} == body
    assert (len(gate["hash"]), gate["dataset_version"], gate["missing"]) == (64, 1, "worst")
    assert reader.get(f"gates/{gate['id']}/").json() == gate
    assert reader.get("gates/?name=SHIP").json()["results"] == [gate]


def test_a_check_is_answered_and_kept(runner, reader, gate, candidate):
    answer = runner.post(f"gates/{gate['id']}/check/", {"run": candidate["id"], "hash": gate["hash"]})

    check = answer.json()
    assert (answer.status_code, check["verdict"], check["green"]) == (201, "fail", False)
    assert (check["hash"], check["changes"], check["examples_needed"]) == (gate["hash"], [], None)
    [criterion] = check["criteria"]
    assert (criterion["rule"], criterion["measured"], criterion["positions"]) == ("no_new_failures", 1, [2])
    assert reader.get(f"gates/{gate['id']}/checks/").json()["results"] == [check]
    assert reader.get(f"gates/{gate['id']}/checks/{check['id']}/").json() == check


def test_a_read_key_gets_the_verdict_without_storing_it(reader, gate, candidate):
    answer = reader.get(f"gates/{gate['id']}/check/?run={candidate['id']}")

    assert (answer.json()["verdict"], answer.json()["id"]) == ("fail", None)
    assert not GateCheck.objects.exists()
    assert reader.post(f"gates/{gate['id']}/check/", {"run": candidate["id"]}).status_code == 403


def test_another_hash_is_changed(runner, gate, candidate):
    check = runner.create(f"gates/{gate['id']}/check/", {"run": candidate["id"], "hash": "0" * 64})

    assert (check["verdict"], check["criteria"], len(check["changes"])) == ("changed", [], 1)


def test_new_criteria_lock_the_gate_anew(writer, gate):
    changed = writer.patch(f"gates/{gate['id']}/", {"criteria": [{"rule": "answered", "value": 0.9}]}).json()

    assert changed["hash"] != gate["hash"]
    assert changed["criteria"] == [{"rule": "answered", "value": 0.9}]


def test_a_criterion_is_sent_back_as_it_was_read(writer, gate):
    again = writer.patch(f"gates/{gate['id']}/", {"criteria": gate["criteria"]}).json()

    assert (again["criteria"], again["hash"]) == (gate["criteria"], gate["hash"])


def test_a_change_that_names_an_old_state_is_refused(writer, gate):
    tag = writer.get(f"gates/{gate['id']}/").headers["ETag"]
    writer.patch(f"gates/{gate['id']}/", {"missing": "exclude"})

    answer = writer.patch(f"gates/{gate['id']}/", {"name": "other"}, **{"If-Match": tag})

    assert answer.status_code == 412


def test_a_check_with_one_idempotency_key_is_kept_once(runner, gate, candidate):
    body = {"run": candidate["id"]}
    address = f"gates/{gate['id']}/check/"

    first, second = (runner.post(address, body, **{"Idempotency-Key": "k"}).json() for _ in range(2))

    assert first == second
    assert GateCheck.objects.count() == 1


@pytest.mark.parametrize(
    ("form", "kind", "begins"),
    [("junit", "application/xml", b"<?xml"), ("markdown", "text/markdown", b"<!-- evalsite-gate:")],
)
def test_a_kept_check_comes_in_the_form_that_a_program_reads(runner, gate, candidate, form, kind, begins):
    check = runner.create(f"gates/{gate['id']}/check/", {"run": candidate["id"]})

    answer = runner.get(f"gates/{gate['id']}/checks/{check['id']}/{form}/", Accept="text/plain")

    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.content.startswith(begins)


def test_a_deleted_gate_is_gone_and_comes_back_with_its_checks(writer, gate, candidate):
    check = writer.create(f"gates/{gate['id']}/check/", {"run": candidate["id"]})

    assert writer.delete(f"gates/{gate['id']}/").status_code == 204
    assert writer.get(f"gates/{gate['id']}/").status_code == 404
    assert writer.post(f"gates/{gate['id']}/restore/").json()["id"] == gate["id"]
    assert writer.get(f"gates/{gate['id']}/checks/").json()["results"] == [check]


def test_the_log_says_who_set_and_checked_it(writer, gate, candidate):
    writer.post(f"gates/{gate['id']}/check/", {"run": candidate["id"]})

    entries = AuditEntry.objects.filter(action__startswith="gate-").order_by("pk")
    assert list(entries.values_list("action", "object_name")) == [
        ("gate-create", "ship"),
        ("gate-check", "ship"),
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"criteria": []}, "empty"),
        ({"criteria": [{"rule": "greener"}]}, "invalid_choice"),
        ({"criteria": [{"rule": "answered", "value": "0.9"}]}, "invalid"),
        ({"criteria": [{"rule": "answered", "value": 1.1}]}, "invalid_gate"),
        ({"criteria": [{"rule": "answered"}]}, "invalid_gate"),
        ({"criteria": [{"rule": "better"}]}, "invalid_gate"),
        ({"criteria": [{"rule": "better", "evaluator": 4_000_000}]}, "unknown_evaluator"),
        ({"criteria": [{"rule": "answered", "value": 0.9, "colour": "green"}]}, "unknown_field"),
        ({"baseline": 4_000_000}, "not_found"),
        ({"name": ""}, "required"),
    ],
)
def test_a_gate_that_cannot_be_is_refused(writer, body, change, code):
    answer = writer.post("gates/", body | change)

    error = answer.json()["error"]
    assert answer.status_code in (400, 404)
    assert error["code"] == code or error["fields"], error


def test_a_run_sent_for_a_gate_is_listed_apart_until_it_is_counted(
    writer, reader, runner, experiment, gate, baseline
):
    rows = [{"position": n, "output": "x"} for n in (1, 2, 3)]
    body = {"experiment": experiment["id"], "variant": "pr-17", "outputs": rows, "for_gate": True}
    run = runner.create("runs/", body)
    score_all()
    check = runner.create(f"gates/{gate['id']}/check/", {"run": run["id"]})

    answer = reader.get(f"experiments/{experiment['id']}/").json()
    assert [one["id"] for one in answer["runs"]] == [baseline["id"]]
    assert answer["sent_for_gates"] == [
        {"id": run["id"], "variant": "pr-17", "verdict": "fail", "gate": gate["id"], "check": check["id"]}
    ]
    only = f"runs/?experiment={experiment['id']}&for_gate=true"
    assert [one["id"] for one in reader.get(only).json()["results"]] == [run["id"]]

    assert runner.patch(f"runs/{run['id']}/", {"for_gate": False}).json()["for_gate"] is False
    answer = reader.get(f"experiments/{experiment['id']}/").json()
    assert (len(answer["runs"]), answer["sent_for_gates"]) == (2, [])
