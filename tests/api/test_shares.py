"""Read-only links and saved views by the API."""

from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests import factories

from .conftest import program


@pytest.fixture
def person(project, alice):
    return program(project, "admin", alice)


@pytest.fixture
def experiment(project):
    experiment = factories.experiment(project)
    for name in ("v1", "v2"):
        factories.scored_run(experiment, variant=name)
    return experiment


def read(made):
    return Client().get(urlsplit(made["url"]).path)


def test_a_link_is_made_read_listed_and_ended(person, experiment):
    runs = ",".join(str(run.pk) for run in experiment.runs.order_by("pk"))
    made = person.create("share-links/", {"object": "report", "query": f"runs={runs}", "note": "Look"})
    assert read(made).status_code == 200

    [listed] = person.get("share-links/").json()["results"]
    assert listed == {name: value for name, value in made.items() if name != "url"} | {
        "opened": 1,
        "last_opened_at": listed["last_opened_at"],
    }
    assert person.delete(f"share-links/{made['id']}/").status_code == 204
    assert read(made).status_code == 410
    assert person.post(f"share-links/{made['id']}/restore/", {}).status_code == 200
    assert read(made).status_code == 200


def test_links_that_ended_are_listed_apart(person, experiment):
    ended, kept = (
        person.create("share-links/", {"object": "experiment", "id": experiment.pk}) for _ in range(2)
    )
    person.delete(f"share-links/{ended['id']}/")

    listed = {
        query: [
            (one["id"], one["ended_at"] is not None)
            for one in person.get(f"share-links/{query}").json()["results"]
        ]
        for query in ("", "?ended=true")
    }

    assert listed == {"": [(kept["id"], False)], "?ended=true": [(ended["id"], True)]}


def test_a_repeated_request_shows_no_link_twice(person, experiment):
    body, key = {"object": "experiment", "id": experiment.pk}, {"Idempotency-Key": "once"}
    first, again = (person.post("share-links/", body, **key).json() for _ in range(2))

    assert first["url"]
    assert again == first | {"url": None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"object": "experiment"}, "id"),
        ({"object": "experiment", "query": "runs=1"}, "id"),
        ({"object": "report", "query": "runs=1", "id": 1}, "id"),
        ({"object": "report", "query": "runs=x"}, "runs"),
        ({"object": "report", "query": "nonsense=1"}, "nonsense"),
        ({"object": "page", "id": 1}, "object"),
    ],
)
def test_a_link_to_nothing_is_refused_by_field(person, experiment, body, field):
    answer = person.post("share-links/", body)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["fields"]


def test_an_administrator_switches_links_off(person, experiment):
    made = person.create("share-links/", {"object": "experiment", "id": experiment.pk})
    person.patch("projects/current/", {"share_links": False})

    assert read(made).status_code == 410
    refused = person.post("share-links/", {"object": "experiment", "id": experiment.pk})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "links_off")


def test_a_view_is_saved_listed_and_deleted(person, experiment):
    body = {"name": "Regressions", "path": f"/experiments/{experiment.pk}/?order=worst", "shared": True}
    made = person.create("views/", body)
    assert body.items() <= made.items()
    assert person.get("views/").json()["results"] == [made]
    renamed = person.patch(f"views/{made['id']}/", {"name": "Other"}).json()
    assert renamed == made | {"name": "Other"}
    assert person.delete(f"views/{made['id']}/").status_code == 204
    assert person.get("views/").json()["results"] == []
    assert person.post(f"views/{made['id']}/restore/", {}).status_code == 200
