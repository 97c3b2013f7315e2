"""Search by a part of the name, as in the command palette."""

import pytest

pytestmark = pytest.mark.django_db


def test_things_of_all_kinds_are_found_by_a_part_of_their_name(reader, experiment):
    answer = reader.get("search/?q=cap").json()["results"]

    assert ("dataset", "Capitals") in {(match["kind"], match["name"]) for match in answer}


def test_a_run_comes_with_its_experiment(reader, writer, experiment):
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "nano", "start": False})

    [match] = reader.get("search/?q=NAN").json()["results"]

    assert (match["kind"], match["id"], match["name"]) == ("run", run["id"], "nano")
    assert match["experiment"] == {"id": experiment["id"], "name": experiment["name"]}


def test_things_of_other_projects_are_not_found(stranger, experiment):
    assert stranger.get("search/?q=").json()["results"] == []
