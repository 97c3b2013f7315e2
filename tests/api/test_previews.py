"""Previews of a newer version of an evaluator, by the API."""

import pytest

from .test_bodies import error


@pytest.fixture
def stricter(writer, completed, evaluator) -> dict:
    """A version whose threshold falls from one edit to none, so that "Roma" turns from pass to fail."""
    return writer.patch(f"evaluators/{evaluator['id']}/", {"config": {"threshold": 0}}).json()


def test_a_preview_lists_examples_that_would_flip(writer, completed, stricter):
    preview = writer.get(f"experiments/{completed['experiment']}/preview/?evaluators={stricter['id']}").json()

    assert (preview["looked_at"], preview["total"], preview["seed"]) == (3, 3, None)
    [evaluator_preview] = preview["evaluators"]
    assert (evaluator_preview["version"], evaluator_preview["order_changes"]) == (2, False)
    assert evaluator_preview["settings"] == [
        {"name": evaluator_preview["settings"][0]["name"], "old": "1", "new": "0"}
    ]
    [run] = evaluator_preview["runs"]
    assert (run["run"], run["version"], run["changed"], run["pass_to_fail"]) == (completed["id"], 1, 0, 1)
    assert run["flips"]["pass_to_fail"] == [{"position": 2, "key": "b", "old": 1.0, "new": 1.0}]


def test_a_preview_covers_outdated_evaluators_by_default(reader, completed, stricter):
    preview = reader.get(f"experiments/{completed['experiment']}/preview/").json()

    assert [entry["evaluator"]["id"] for entry in preview["evaluators"]] == [stricter["id"]]


def test_a_preview_stores_and_changes_nothing(writer, completed, stricter):
    before = writer.get(f"runs/{completed['id']}/").json()

    writer.get(f"experiments/{completed['experiment']}/preview/?evaluators={stricter['id']}")

    assert writer.get(f"runs/{completed['id']}/").json() == before


def test_a_preview_of_an_unknown_evaluator_is_refused(writer, completed):
    response = writer.get(f"experiments/{completed['experiment']}/preview/?evaluators=999")

    assert response.status_code == 404
    assert "999" in error(response)["message"]
