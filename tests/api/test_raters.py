"""Raters, links, decisions, labels from elsewhere and comments by the API."""

import pytest

from evaluations.models import Membership, Rater, Role

from .conftest import program


@pytest.fixture
def person(project, alice):
    return program(project, "admin", alice)


@pytest.fixture
def label_set(person):
    return person.create("label-sets/", {"name": "people", "question": "Right?"})["id"]


@pytest.fixture
def task(person, label_set, completed):
    body = {"label_set": label_set, "runs": [completed["id"]], "sample": {"size": 3, "seed": 1}, "overlap": 0}
    return person.create("label-tasks/", body)


def send(person, label_set, run, *labels):
    return person.post(f"label-sets/{label_set}/labels/", {"run": run, "labels": labels, "random": True})


def test_a_link_is_made_listed_and_withdrawn(person, task):
    at = f"label-tasks/{task['id']}/links/"
    made = person.create(at, {"days": 7})
    assert "/rate/" in made["url"]

    [listed] = person.get(at).json()["results"]
    assert (listed["id"], listed["rater"], listed["withdrawn_at"]) == (made["id"], None, None)
    assert "url" not in listed
    assert person.delete(f"{at}{made['id']}/").status_code == 204
    assert person.get(at).json()["results"][0]["withdrawn_at"]


def test_a_repeated_request_shows_no_link_twice(person, task):
    at, key = f"label-tasks/{task['id']}/links/", {"Idempotency-Key": "once"}
    first, again = (person.post(at, {}, **key).json() for _ in range(2))
    assert first["url"]
    assert again == first | {"url": None}


def test_labels_that_exist_are_sent_differ_and_are_decided(person, label_set, completed):
    run = completed["id"]
    sent = send(
        person,
        label_set,
        run,
        {"position": 1, "value": "pass", "rater": "Ann"},
        {"position": 1, "value": "fail", "rater": "Ben", "note": "Too long."},
    )
    assert sent.json()["stored"] == 2

    at = f"label-sets/{label_set}/adjudications/"
    [item] = person.get(at).json()["results"]
    assert [label["value"] for label in item["labels"]] == ["pass", "fail"]
    of_ben = person.get(f"label-sets/{label_set}/export/?task={sent.json()['task']}&rater=2").json()[
        "results"
    ]
    assert [(fact["value"], fact["note"]) for fact in of_ben] == [("fail", "Too long.")]
    assert person.create(at, {"item": item["item"], "value": "pass"})["decided"]["value"] == "pass"
    assert mean(person, run) == 1
    assert person.delete(f"{at}{item['item']}/").status_code == 204
    assert mean(person, run) == 0.5


def mean(person, run):
    scorings = person.get(f"runs/{run}/").json()["scorings"]
    return next(one["mean"] for one in scorings if one["evaluator"]["name"] == "people")


def test_a_file_of_labels(person, label_set, completed):
    content = b"position,label,rater,colour\n1,pass,Ann,red\n1,fail,Ben,red\n2,,Ann,red\n"
    sent = person.upload(
        f"label-sets/{label_set}/labels/", content, "labels.csv", run=completed["id"], random="true"
    )
    assert sent.status_code == 201, sent.content
    told = sent.json()
    assert (told["stored"], told["raters"], told["unsure"]) == (3, 2, 1)
    assert told["left_out"] == ["colour"]


def test_names_of_raters_are_for_administrators(person, project, bob, label_set, completed):
    task = send(person, label_set, completed["id"], {"position": 1, "value": "pass", "rater": "Ann"}).json()
    at = f"label-tasks/{task['task']}/raters/"
    editor = program(project, "write", bob)

    assert person.get(at).json()["raters"][0]["name"] == "Ann"
    assert editor.get(at).json()["raters"][0]["name"] is None
    assert editor.delete(f"{at}1/").status_code == 403
    assert person.post(f"{at}1/forget/").status_code == 204
    assert person.get(at).json()["raters"][0] == {
        "number": 1,
        "name": None,
        "done": 1,
        "unsure": 0,
        "seconds": None,
    }
    assert person.delete(f"{at}1/").status_code == 204
    assert person.get(f"label-sets/{label_set}/export/").json()["results"] == []


def test_an_annotator_is_asked(person, task, bob):
    at = f"label-tasks/{task['id']}/raters/"
    assert person.post(at, {"person": bob.pk}).json()["error"]["code"] == "invalid"
    Membership.objects.filter(user=bob).update(role=Role.ANNOTATOR)

    assert person.post(at, {"person": bob.pk}).status_code == 201
    assert Rater.objects.get().user == bob


def test_a_pair_is_given_from_left_to_right(person, project, completed):
    other = person.create(
        "runs/",
        {
            "experiment": completed["experiment"],
            "variant": "other",
            "outputs": [{"position": n, "output": f"another {n}"} for n in (1, 2, 3)],
        },
    )
    from evaluations.scoring import scoring  # noqa: PLC0415

    while scoring.work(seconds=10):
        pass
    better = person.create("label-sets/", {"name": "better", "answers": "pair"})["id"]
    body = {"label_set": better, "runs": [completed["id"], other["id"]], "sample": {"size": 2}}
    task = person.create("label-tasks/", body)

    item = person.post(f"label-tasks/{task['id']}/begin/").json()

    assert item["output"] is None
    assert len(item["outputs"]) == 2
    assert item["choices"] == ["left", "both", "neither", "right"]


def test_a_comment_is_written_found_deleted_and_brought_back(person, completed):
    comment = person.create("comments/", {"run": completed["id"], "example": 1, "text": "Odd."})
    assert comment["by"] == "alice"

    assert len(person.get(f"comments/?run={completed['id']}&search=odd").json()["results"]) == 1
    assert person.patch(f"comments/{comment['id']}/", {"done": True}).json()["done"]
    found = [person.get(f"comments/?done={done}").json()["results"] for done in ("true", "false")]
    assert [len(results) for results in found] == [1, 0]
    assert person.delete(f"comments/{comment['id']}/").status_code == 204
    assert person.get("comments/").json()["results"] == []
    assert person.post(f"comments/{comment['id']}/restore/").json()["text"] == "Odd."


@pytest.mark.parametrize(
    "body", [{"example": 1, "text": "No dataset."}, {"run": 1, "example": 1}, {"example": 99, "text": "x"}]
)
def test_a_comment_about_nothing_is_refused(person, completed, body):
    named = {"run": completed["id"]} if "example" in body and body["example"] == 99 else {}
    assert person.post("comments/", named | body).status_code in (400, 404)
