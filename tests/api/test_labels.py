"""Labelling by the API: a set, a task, items one at a time, labels with their history."""

import pytest

from evaluations.models import AuditEntry

from .conftest import program


@pytest.fixture
def person(project, alice):
    """A client with a write key that belongs to Alice."""
    return program(project, "write", alice)


@pytest.fixture
def task(person, completed):
    label_set = person.create("label-sets/", {"name": "people", "question": "Right?"})["id"]
    body = {"label_set": label_set, "runs": [completed["id"]], "sample": {"size": 3, "seed": 1}, "overlap": 0}
    return person.create("label-tasks/", body)


def test_a_person_labels_everything_and_the_runs_have_the_column(person, task, completed):
    at = f"label-tasks/{task['id']}/"
    item = person.post(f"{at}begin/").json()
    assert {"item", "lease", "question", "guideline", "choices", "input", "expected", "output"} <= {*item}
    assert not {"run", "variant", "example", "rater"} & {*item}
    assert person.get(f"{at}next/").json()["item"] == item["item"]

    while (answer := person.get(f"{at}next/")).status_code == 200:
        item = answer.json()
        label = {"item": item["item"], "lease": item["lease"], "value": "pass", "note": "clear"}
        assert person.post("labels/", label).status_code == 201
    person.post(f"{at}close/")

    run = person.get(f"runs/{completed['id']}/").json()
    assert next(one for one in run["scorings"] if one["evaluator"]["name"] == "people")["mean"] == 1
    facts = person.get(f"label-sets/{task['label_set']}/export/").json()["results"]
    assert [(fact["rater"], fact["value"], fact["note"]) for fact in facts] == [(1, "pass", "clear")] * 3


def test_a_label_without_its_lease_is_refused_and_undo_gives_the_item_back(person, task):
    at = f"label-tasks/{task['id']}/"
    item = person.post(f"{at}begin/").json()
    label = {"item": item["item"], "lease": item["lease"], "unsure": True}
    assert person.post("labels/", label).json()["unsure"] is True

    assert person.post("labels/", label).json()["error"]["code"] == "lease_lost"
    assert person.post(f"{at}undo/").json()["item"] == item["item"]


def test_a_key_of_nobody_cannot_label(writer, task):
    assert writer.post(f"label-tasks/{task['id']}/begin/").status_code == 403


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"runs": []}, "invalid"),
        ({"sample": {"size": 30_000}}, "invalid_task"),
        ({"label_set": 999_999}, "not_found"),
    ],
)
def test_a_task_that_cannot_be_drawn_says_why(person, task, completed, change, code):
    body = {"label_set": task["label_set"], "runs": [completed["id"]], "sample": {"size": 1}}
    assert person.post("label-tasks/", body | change).json()["error"]["code"] == code


def test_groups_need_a_column_and_a_reference_can_be_hidden(person, completed):
    label_set = person.create("label-sets/", {"name": "people"})["id"]
    body = {"label_set": label_set, "runs": [completed["id"]], "reference": False}
    missing = person.post("label-tasks/", body | {"sample": {"size": 2, "drawn": "groups"}})
    assert missing.json()["error"]["fields"] == {"sample.by": ["This field is required."]}
    refused = person.post("label-tasks/", body | {"sample": {"size": 2, "drawn": "groups", "by": "topic"}})
    assert refused.json()["error"]["fields"] == {"by": ["The dataset has no metadata column “topic”."]}
    task = person.create("label-tasks/", body | {"sample": {"size": 2}})
    assert (task["by"], task["reference"]) == ("", False)
    assert person.post(f"label-tasks/{task['id']}/begin/").json()["expected"] == {}


def test_a_sample_among_some_examples_is_weighed_and_tells_its_parts(person, completed):
    sample = {"size": 1, "seed": 1, "positions": [1, 2]}
    plain = person.create("label-sets/", {"name": "plain"})["id"]
    body = {"runs": [completed["id"]], "overlap": 0, "sample": sample}
    refused = person.post("label-tasks/", body | {"label_set": plain})
    assert [*refused.json()["error"]["fields"]] == ["label_set"]

    weighted = person.create("label-sets/", {"name": "weighed", "purpose": "weighted"})["id"]
    task = person.create("label-tasks/", body | {"label_set": weighted})
    assert task["population"] == "2 chosen examples"
    assert [(part["size"], part["drawn"]) for part in task["parts"]] == [(2, 1), (1, 0)]

    missing = {"size": 1, "metadata": {"colour": "red"}}
    answer = person.post("label-tasks/", body | {"label_set": weighted, "sample": missing})
    assert answer.json()["error"]["code"] == "missing_column"


def test_the_audit_log_counts_the_examples_of_sent_labels(person, completed):
    label_set = person.create("label-sets/", {"name": "people", "purpose": "reading"})["id"]
    labels = [{"position": position, "value": "pass"} for position in (1, 2)]
    sent = person.post(f"label-sets/{label_set}/labels/", {"run": completed["id"], "labels": labels})

    assert sent.status_code == 201, sent.text
    assert AuditEntry.objects.get(action="labelset-labels").object_name == "people on 2 examples"
