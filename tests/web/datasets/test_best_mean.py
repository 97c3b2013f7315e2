"""The best mean so far in the list of datasets: in the unit of its evaluator, and no winner where there is none."""

import json
import re

import numpy as np
import pytest

from evaluations.comparisons.over_time import trends
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories
from tests.comparisons import columns
from tests.comparisons.test_subsets import planted
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def list_of(client, project):
    text = text_of(client.get(f"/p/{project.slug}/datasets/")).replace("\u202f", " ")
    return re.sub(r"exact_match \d+-\d", "exact_match", text)  # the name of the evaluator has numbers


def compared(project, **right):
    """An experiment in which each variant has so many right answers of 60."""
    experiment = columns.experiment(project, 60, ["exact_match"])
    for name, count in right.items():
        columns.run(experiment, name, [(np.arange(60) < count) * 1.0])
    return experiment


@pytest.mark.parametrize(
    ("right", "told"),
    [
        ({"small": 40, "large": 38}, "66.7 % exact_match small , not clearly better than large"),
        ({"small": 40, "large": 40}, "66.7 % exact_match small , level with large"),
        ({"a": 38, "small": 40, "c": 39}, "66.7 % exact_match small , not clearly better than 2 others"),
        ({"small": 50, "large": 20}, "83.3 % exact_match small , best of 2"),
        (
            {"a long name of a variant that fits": 40, "another long name of one that does": 40},
            "level with another…of one that does ",
        ),
        ({"small": 50}, "83.3 % exact_match small"),
    ],
)
def test_the_best_mean_makes_no_winner_without_a_verdict(alices, project, right, told):
    compared(project, **right)

    assert told in list_of(alices, project)


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (20, "83.3 % exact_match small , best of 2"),
        (49, "83.3 % exact_match small , not clearly better than large"),
    ],
)
def test_the_best_of_several_experiments_is_what_the_leaderboard_says(alices, project, count, told):
    first = compared(project, small=50)
    later = follow_up(project, first)
    columns.run(later, "large", [(np.arange(60) < count) * 1.0])

    assert told in list_of(alices, project)


def test_the_best_of_an_experiment_says_where_it_is_worse_in_the_list_and_on_the_front_page(alices, project):
    evaluator = planted(project).evaluators.primary

    assert "best of 2, but worse on legal" in list_of(alices, project)
    home = text_of(alices.get(f"/p/{project.slug}/"))
    assert re.search(rf"best mean by {re.escape(evaluator.name)}: [^:]*, but worse on legal", home)


def test_a_best_that_is_the_baseline_says_where_the_other_is_better(alices, project):
    experiments.set_baseline(planted(project).sides.experiment, "b")

    assert "b , best of 2, but worse on legal" in list_of(alices, project)


def test_the_best_of_several_experiments_says_where_it_is_worse_than_the_next(alices, project):
    first = planted(project).sides.experiment
    columns.run(follow_up(project, first), "third", [np.full(first.dataset.example_count, 0.1)])

    assert "b , best of 3, but worse on legal" in list_of(alices, project)
    trend = text_of(alices.get(f"/datasets/{first.dataset_id}/trends/"))
    assert "b is worse than a on legal ." in trend


def test_a_best_that_is_worse_nowhere_says_nothing_of_subsets(alices, project):
    compared(project, small=50, large=20)

    assert "but worse" not in list_of(alices, project)


def test_rankings_of_more_datasets_take_no_more_queries_to_read(project, django_assert_max_num_queries):
    firsts = [compared(project, small=50) for _ in range(4)]
    for first in firsts:
        columns.run(follow_up(project, first), "large", [(np.arange(60) < 49) * 1.0])
    by_dataset = {first.dataset_id: first.primary_id for first in firsts}

    with django_assert_max_num_queries(1):
        trends.of_several(by_dataset)


def follow_up(project, first):
    versions = [version.evaluator for version in experiments.versions_of(first)]
    return experiments.create(project, None, f"after {first.name}", first.dataset, versions)


def test_a_share_of_fields_is_per_cent_in_the_list_and_on_the_run_as_in_the_experiment(alices, project):
    records = [json.dumps({"city": f"c{n}", "total": n}) for n in range(8)]
    experiment = factories.experiment(project, "json_fields", references=records)
    run = factories.scored_run(experiment, [*records[:6], *['{"city": "?", "total": -1}'] * 2], "v1")

    for address in (f"/p/{project.slug}/datasets/", f"/runs/{run.pk}/", f"/experiments/{experiment.pk}/"):
        assert "75.0 %" in text_of(alices.get(address)).replace("\u202f", " ")


@pytest.mark.parametrize(
    ("before", "is_changed", "said"),
    [
        (50, False, "33.3 % on v2, 83.3 % on v1 exact_match"),
        (10, False, "33.3 % on v2 exact_match"),
        (50, True, "33.3 % on v2 exact_match"),
    ],
    ids=["better", "worse", "by another version of the evaluator"],
)
def test_a_better_mean_of_an_earlier_version_is_named(alices, project, before, is_changed, said):
    first = compared(project, small=before)
    datasets.edit(first.dataset, None, 1, {"reference": {"a": "another"}})
    first.dataset.refresh_from_db()
    if is_changed:
        evaluators.change(first.primary, None, config={"case_sensitive": False})
    columns.run(follow_up(project, first), "large", [(np.arange(60) < 20) * 1.0])

    assert said in list_of(alices, project)
