"""Trend and leaderboard of a dataset, by the API."""

import pytest

from evaluations.models import Evaluator
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project):
    experiment = factories.experiment(project, "exact_match", "rouge_l")
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), "right")
    factories.scored_run(experiment, ("Paris", None, "Osl"), "terse")
    return experiment.dataset


def test_the_trend_lists_every_run_with_its_mean(reader, dataset):
    answer = reader.get(f"datasets/{dataset.pk}/trend/").json()

    points = {point["variant"]: point for point in answer["points"]}
    assert answer["direction"] == "maximize"
    assert points["right"]["mean"] == 1
    assert (points["terse"]["mean"], points["terse"]["n"], points["terse"]["unanswered"]) == (
        pytest.approx(1 / 3),
        3,
        1,
    )


def test_the_leaderboard_ranks_the_same_runs(reader, dataset):
    answer = reader.get(f"datasets/{dataset.pk}/leaderboard/").json()

    assert [ranked["variant"] for ranked in answer["ranking"]] == ["right", "terse"]
    assert answer["ranking"][0]["rank"] == [1, 2]
    assert answer["unranked"] == []


@pytest.mark.parametrize("by", ["pk", "name"])
def test_an_evaluator_is_chosen_by_id_or_name(reader, dataset, by):
    rouge = Evaluator.objects.get(name="rouge l")

    answer = reader.get(f"datasets/{dataset.pk}/trend/?evaluator={getattr(rouge, by)}").json()

    assert answer["evaluator"] == rouge.pk


def test_an_unknown_evaluator_is_refused(reader, dataset):
    answer = reader.get(f"datasets/{dataset.pk}/leaderboard/?evaluator=speed")

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unknown_evaluator"


def test_evaluators_are_held_against_one_of_them(reader, dataset):
    factories.scored_run(dataset.experiments.get(), ("x", "y", "Oslo"), "worst")
    rouge, exact = Evaluator.objects.get(name="rouge l"), Evaluator.objects.get(name="exact match")

    answer = reader.get(f"datasets/{dataset.pk}/systems/?against=rouge+l").json()

    [row] = answer["evaluators"]
    assert answer["against"] == rouge.pk
    assert len(answer["systems"]) == 3
    assert row["evaluator"] == {"id": exact.pk, "name": "exact match"}
    assert 0 <= row["accuracy"] <= 1


def test_of_two_evaluators_the_one_behind_has_a_p(reader, project):
    experiment = factories.experiment(project, "exact_match", "rouge_l", "chrf")
    for name, outputs in (("a", ("Paris", "Rome", "Oslo")), ("b", ("Paris", "x", "Osl")), ("c", "xyz")):
        factories.scored_run(experiment, tuple(outputs), name)

    answer = reader.get(f"datasets/{experiment.dataset_id}/systems/").json()

    first, second = answer["evaluators"]
    assert first["p"] is None
    assert 0 < second["p"] <= 1


def test_two_variants_are_too_few_to_hold_evaluators_against_each_other(reader, dataset):
    answer = reader.get(f"datasets/{dataset.pk}/systems/").json()

    assert answer["evaluators"] == []
    assert answer["reason"]


def test_a_dataset_without_runs_has_an_empty_trend(reader, project):
    empty = factories.dataset(project, name="empty")

    assert reader.get(f"datasets/{empty.pk}/trend/").json()["points"] == []
    assert reader.get(f"datasets/{empty.pk}/leaderboard/").json()["ranking"] == []


def test_examples_that_tell_no_variant_apart_are_listed(reader, dataset):
    answer = reader.get(f"datasets/{dataset.pk}/items/").json()

    assert (answer["examples"], answer["alike"], answer["right"], answer["wrong"]) == (3, 1, 1, 0)
    assert answer["alike_examples"] == [{"position": 1, "key": "k1", "score": 1.0}]
    assert len(answer["runs"]) == 2
