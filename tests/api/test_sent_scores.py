"""Sending scores to a run: as JSON and as a file, once and twice, removed and brought back, in exports and gates."""

import json

import pytest

from .conftest import score_all

HELPFUL = {"name": "helpful", "minimum": 0, "maximum": 1}


@pytest.fixture
def run(completed):
    return completed


@pytest.fixture
def address(run) -> str:
    return f"runs/{run['id']}/scores/"


def body(*values, **evaluator):
    scores = [{"key": key, "value": value} for key, value in zip("abc", values, strict=False)]
    return {"evaluator": HELPFUL | evaluator, "scores": scores}


def figures(writer, run, name="helpful"):
    scorings = writer.get(f"runs/{run['id']}/").json()["scorings"]
    return next((each for each in scorings if each["evaluator"]["name"] == name), None)


def test_a_complete_run_takes_scores_and_shows_them_at_once(writer, run, address):
    sent = writer.create(address, body(1, 0))

    assert sent == {"evaluator": sent["evaluator"], "version": 1, "scored": 2, "replaced": 0, "left_out": []}
    shown = figures(writer, run)
    assert (shown["mean"], shown["n"], shown["counts"]["not_sent"]) == (0.5, 2, 1)
    rows = writer.get(f"runs/{run['id']}/results/?status=not_sent&evaluator=helpful").json()["results"]
    assert [row["key"] for row in rows] == ["c"]


def test_a_run_key_may_send(runner, address):
    assert runner.post(address, body(1)).status_code == 201


def test_the_same_request_twice_stores_once(writer, address):
    answers = [writer.post(address, body(1, 0), **{"Idempotency-Key": "one"}) for _ in range(2)]

    assert [answer.json()["replaced"] for answer in answers] == [0, 0]
    assert writer.create(address, body(1))["replaced"] == 1


def test_labels_get_their_numbers(writer, run, address):
    scores = [{"key": "a", "label": "good"}, {"key": "b", "label": "bad"}]
    evaluator = HELPFUL | {"labels": {"good": 1, "bad": 0.25}}

    writer.create(address, {"evaluator": evaluator, "scores": scores})

    assert figures(writer, run)["mean"] == 0.625


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"evaluator": {"name": "Edits"}, "scores": []}, 409, "evaluator_is_computed"),
        (body(2), 400, "not_a_score"),
        ({"evaluator": HELPFUL, "scores": [{"key": "a", "value": 1}] * 2}, 400, "duplicate_score"),
        ({"evaluator": HELPFUL, "scores": [{"key": "z", "value": 1}]}, 400, "unknown_example"),
        ({"evaluator": HELPFUL, "scores": [{"key": "a", "points": 1}]}, 400, "unknown_field"),
        ({"evaluator": {"name": "helpful", "minimum": 2, "maximum": 1}, "scores": []}, 400, "invalid_config"),
        ({"evaluator": {"name": "helpful", "labels": {"a=b": 1}}, "scores": []}, 400, "invalid"),
        ({"evaluator": {"name": "helpful", "code": {"sha256": "x"}}, "scores": []}, 400, "invalid_config"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_stored(writer, run, address, sent, status, code):
    answer = writer.post(address, sent)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert figures(writer, run) is None


def test_a_file_is_read_by_the_names_of_its_columns(writer, run, address):
    content = b'id,rating,note,reviewed\na,"0,75",short,yes\nb,1,,no\n'

    answer = writer.upload(address, content, evaluator=HELPFUL, columns={"value": "rating"})

    assert answer.json() == answer.json() | {"scored": 2, "left_out": ["reviewed"]}
    assert figures(writer, run)["mean"] == 0.875
    detail = writer.get(f"runs/{run['id']}/results/1/").json()["detail"]["helpful"]
    assert (detail["note"], detail["records"][0]["value"]) == ("short.", 0.75)


@pytest.mark.parametrize(
    ("content", "columns", "code"),
    [
        (b"id,rating\na,1\n", {}, "missing_column"),
        (b"name,score\na,1\n", {}, "missing_column"),
        (b"id,score\na,1\n", {"value": "points"}, "missing_column"),
        (b"id,score\na,1\na,0\n", {}, "duplicate_score"),
        (b"id,score\na,often\n", {}, "not_a_score"),
        (b"position,score\n" + b"9" * 5_000 + b",1\n", {}, "unknown_example"),
        (b"position,score\n3000000000,1\n", {}, "unknown_example"),
        (b'[{"position": [1], "score": 1}, {"position": 1e300, "score": 1}]', {}, "unknown_example"),
    ],
)
def test_a_wrong_file_is_refused_whole(writer, run, address, content, columns, code):
    answer = writer.upload(address, content, evaluator=HELPFUL, columns=columns)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert figures(writer, run) is None


def test_removed_scores_are_gone_until_they_are_brought_back(writer, run, address):
    evaluator = writer.create(address, body(1, 0, 1))["evaluator"]

    assert writer.delete(f"{address}{evaluator}/").status_code == 204
    assert figures(writer, run) is None
    assert writer.post(f"{address}{evaluator}/restore/").status_code == 202
    score_all()

    assert figures(writer, run)["n"] == 3


def test_a_kind_of_sent_scores_scores_nothing_here(writer, run, address):
    evaluator = writer.create(address, body(1))["evaluator"]

    items = {"kind": "sent", "config": {}, "items": [{"actual": "a", "expected": "a"}]}
    assert writer.post("score/", items).json()["error"]["code"] == "unknown_kind"
    again = writer.post(f"runs/{run['id']}/scorings/", {"evaluators": [evaluator]})
    assert again.json()["error"]["code"] == "evaluator_is_sent"
    assert writer.get("kinds/sent/").status_code == 404


def test_verification_leaves_sent_scores_out(writer, run, address):
    writer.create(address, body(1, 0, 1))

    verified = writer.post(f"runs/{run['id']}/verify/", {}).json()

    assert "helpful" in json.dumps(verified["skipped"])


def test_exports_have_sent_scores(writer, run, address):
    writer.create(address, body(1, 0))

    exported = b"".join(writer.get(f"runs/{run['id']}/export/?format=jsonl").streaming_content).decode()

    rows = [json.loads(line) for line in exported.splitlines()]
    assert [row["scores"]["helpful"]["value"] for row in rows] == [1, 0, None]


def test_any_evaluator_that_scored_a_run_can_be_primary(writer, run, experiment, address):
    path = f"experiments/{experiment['id']}/"
    other = writer.create("evaluators/", {"name": "Same", "kind": "exact_match"})["id"]
    assert writer.patch(path, {"primary": other}).json()["error"]["code"] == "unknown_evaluator"
    sent = writer.create(address, body(1, 0, 1))["evaluator"]
    writer.create(f"runs/{run['id']}/scorings/", {"evaluators": [other]})

    for chosen in (sent, other):
        assert writer.patch(path, {"primary": chosen}).json()["primary"] == chosen


def test_two_runs_are_compared_by_sent_scores(writer, run, experiment, address):
    more = {"experiment": experiment["id"], "variant": "long", "outputs": [{"key": "a", "output": "x"}]}
    second = writer.create("runs/", more)
    score_all()
    for number, values in ((run["id"], (1, 0, 1)), (second["id"], (0,))):
        evaluator = writer.create(f"runs/{number}/scores/", body(*values))["evaluator"]
    writer.patch(f"experiments/{experiment['id']}/", {"primary": evaluator})

    compared = writer.get(f"comparisons/?runs={run['id']},{second['id']}").json()

    assert compared["primary"] == evaluator


def test_a_gate_changes_only_by_scores_that_it_names(writer, run, experiment, address):
    evaluator = writer.create(address, body(1, 0, 1))["evaluator"]
    gates = {
        name: writer.create(
            "gates/",
            {
                "name": name,
                "dataset": experiment["dataset"],
                "baseline": run["id"],
                "criteria": [{"rule": "at_least", "evaluator": number, "value": 0.1}],
            },
        )["id"]
        for name, number in (
            ("edits", figures(writer, run, "Edits")["evaluator"]["id"]),
            ("helped", evaluator),
        )
    }

    writer.create(address, body(0))

    def verdict(name):
        return writer.get(f"gates/{gates[name]}/check/?run={run['id']}").json()["verdict"]

    assert (verdict("edits") == "changed", verdict("helped")) == (False, "changed")
