"""The page of a dataset over time."""

import re
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Evaluator, Run
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons import columns
from tests.pages import markup, text_of


@pytest.fixture
def scored(project):
    experiment = factories.experiment(project, "exact_match", "rouge_l")
    runs = [
        factories.scored_run(experiment, outputs, variant)
        for variant, outputs in (("right", ("Paris", "Rome", "Oslo")), ("wrong", ("x", "y", "Oslo")))
    ]
    return experiment.dataset, runs


def age(run: Run) -> None:
    """Let a run be of an earlier day."""
    Run.objects.filter(pk=run.pk).update(created_at=run.created_at - timedelta(days=3))


def test_the_page_shows_trend_and_leaderboard(alices, scored):
    dataset, (right, wrong) = scored
    age(right)

    html = markup(alices.get(f"/datasets/{dataset.pk}/trends/"))

    assert 'class="trend-chart' in html
    assert f"/compare/?runs={wrong.pk},{right.pk}" in html
    assert html.index(">right<") < html.index(">wrong<")


def test_the_comparisons_are_declared_before_the_first(alices, project):
    dataset = factories.dataset(project)
    page = f"/datasets/{dataset.pk}/trends/"

    assert alices.post(page, {"most_comparisons": "0"}).status_code == 400
    assert alices.post(page, {"most_comparisons": "25"}).status_code == 302
    assert "of at most 25 that were declared" in text_of(alices.get(page))

    versions = [factories.evaluator(project, "exact_match")]
    experiment = experiments.create(project, None, "capitals", dataset, versions)
    for outputs in (("x", "y", "z"), ("Paris", "y", "z")):
        factories.scored_run(experiment, outputs, outputs[0])
    refused = alices.post(page, {"most_comparisons": "1000"})
    assert refused.status_code == 409
    assert "is declared before the first" in text_of(refused)
    assert 'name="most_comparisons"' not in markup(alices.get(page))


def test_the_page_names_the_column_that_clusters_rows(alices, project):
    doc = np.repeat(np.arange(15), 6)
    metadata = [{"doc": f"talk {number}"} for number in doc]
    experiment = columns.experiment(project, len(doc), ["rouge_l"], metadata)
    by_doc = np.random.default_rng(4).uniform(0.2, 0.8, 15)[doc]
    for variant, scores in (("a", np.full(len(doc), 0.5)), ("b", by_doc)):
        columns.run(experiment, variant, [scores])

    page = alices.get(f"/datasets/{experiment.dataset_id}/trends/")

    assert "Rows with the same doc resemble each other" in text_of(page)


def test_a_dataset_with_a_variant_that_answered_nothing_says_why_nothing_is_ranked(alices, project):
    experiment = columns.experiment(project, 30, ["rouge_l"])
    columns.run(experiment, "answers", [np.full(30, 0.5)])
    columns.run(experiment, "silent", [np.full(30, np.nan)])

    response = alices.get(f"/datasets/{experiment.dataset.pk}/trends/")

    assert response.status_code == 200
    assert "No output of silent has a score" in markup(response)


def test_another_evaluator_is_chosen_in_the_address(alices, scored):
    dataset, _ = scored
    rouge = Evaluator.objects.get(name="rouge l")

    page = alices.get(f"/datasets/{dataset.pk}/trends/", {"evaluator": rouge.pk})

    assert page.context["evaluator"] == rouge


def test_a_dataset_without_scores_says_so(alices, dataset):
    assert "No run on this dataset has scores yet" in markup(alices.get(f"/datasets/{dataset.pk}/trends/"))


def test_an_evaluator_that_does_not_exist_is_an_error_page(alices, scored):
    assert alices.get(f"/datasets/{scored[0].pk}/trends/", {"evaluator": "speed"}).status_code == 400


def test_the_front_page_draws_the_best_so_far_after_three_experiments_or_more(alices, project, scored):
    """The runs of one experiment are one step: a line of them would be a dot."""
    dataset, (run, _) = scored
    factories.scored_run(run.experiment, ("Paris", "Rome", "x"), "third")
    html = markup(alices.get("/p/default/"))
    assert 'class="sparkline"' not in html
    assert 'class="sparkline"' not in markup(alices.get("/p/default/datasets/"))
    assert f"/datasets/{dataset.pk}/trends/" in html

    for name in ("second", "third"):
        evaluators = [version.evaluator for version in run.experiment.evaluator_versions.all()]
        factories.scored_run(experiments.create(project, None, name, dataset, evaluators))

    assert 'class="sparkline"' in markup(alices.get("/p/default/"))
    assert 'class="sparkline"' in markup(alices.get("/p/default/datasets/"))


def test_the_best_mean_on_the_front_page_counts_its_runs(alices, project):
    """An earlier run of a variant may be better than the latest one, by which the leaderboard ranks."""
    experiment = columns.experiment(project, 30, ["rouge_l"])
    for score in (0.95, 0.75):
        columns.run(experiment, "same", [np.full(30, score)])
    home = markup(alices.get("/p/default/"))

    assert "so far, of 2 comparable runs" in home
    assert re.search(r"best mean by [^:]+: 0.950 ?, same ", text_of(home))


def test_evaluators_are_held_against_an_outside_score(alices, project):
    experiment = columns.experiment(project, 30, ["value", "rouge_l"])
    for number in range(3):
        scores = np.linspace(0.1, 0.5 + number / 10, 30)
        columns.run(experiment, f"v{number}", [scores, scores**2])

    page = alices.get(f"/datasets/{experiment.dataset_id}/trends/")

    [(evaluator, row)] = page.context["agreed"]
    assert evaluator.name.startswith("rouge_l")
    assert row.accuracy == 1
    assert 'id="systems"' in markup(page)


def test_no_agreement_is_shown_without_outside_scores(alices, scored):
    assert 'id="systems"' not in markup(alices.get(f"/datasets/{scored[0].pk}/trends/"))


@pytest.fixture
def rescorable(project):
    """A dataset with an experiment scored by an older version of the evaluator, and one by the newest."""
    experiment = factories.experiment(project, "exact_match")
    older = factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), "older")
    evaluator = Evaluator.objects.get()
    evaluators.change(evaluator, None, config={"case_sensitive": False})
    later = experiments.create(project, None, "later", experiment.dataset, [evaluator])
    factories.scored_run(later, ("paris", "y", "Oslo"), "newer")
    return experiment.dataset, evaluator, older


def test_a_variant_alone_by_the_newest_versions_is_said_to_be_alone(alices, rescorable):
    text = text_of(alices.get(f"/datasets/{rescorable[0].pk}/trends/"))

    assert "newer is the only variant on dataset v1 with exact match v2 , so nothing is ranked yet." in text
    assert "Score 1 older run with exact match v2" in text


def test_older_runs_are_ranked_once_they_are_scored_again(alices, rescorable):
    dataset, evaluator, older = rescorable

    answer = alices.post(f"/datasets/{dataset.pk}/trends/score/", {"evaluator": evaluator.pk})
    while scoring.work(seconds=10):
        pass
    html = markup(alices.get(answer.url))

    assert older.scorings.filter(evaluator_version__number=2).exists()
    assert "Not ranked" not in html
    assert "Scoring 1 run with exact match." in html


def test_the_newest_run_is_placed_among_all(alices, rescorable):
    dataset, evaluator, _ = rescorable
    alices.post(f"/datasets/{dataset.pk}/trends/score/", {"evaluator": evaluator.pk})
    while scoring.work(seconds=10):
        pass

    text = text_of(alices.get(f"/datasets/{dataset.pk}/trends/"))

    assert "The newest run, newer , is ranked 1–2 of 2." in text


def test_a_point_leads_to_the_comparison_with_the_best_other_variant(alices, scored):
    dataset, (right, wrong) = scored
    age(right)

    page = markup(alices.get(f"/datasets/{dataset.pk}/trends/"))
    drawn = page[page.index('class="trend-chart') : page.index('id="leaderboard"')]

    assert f'href="/compare/?runs={right.pk},{wrong.pk}"' in drawn
    assert f'href="/runs/{wrong.pk}/"' not in drawn


def test_runs_of_one_moment_are_a_table_without_a_drawing(alices, scored):
    page = alices.get(f"/datasets/{scored[0].pk}/trends/")

    assert "All runs are of one moment" in text_of(page)
    assert "trend-chart" not in markup(page)
    assert "All means as a table" in text_of(page)


def test_runs_of_one_day_are_drawn_in_their_order_with_clock_times(alices, scored):
    dataset, (right, wrong) = scored
    for hour, run in ((9, right), (17, wrong)):
        Run.objects.filter(pk=run.pk).update(created_at=datetime(2026, 5, 4, hour, 30, tzinfo=UTC))

    page = markup(alices.get(f"/datasets/{dataset.pk}/trends/"))

    assert "trend-chart" in page
    assert ">4 May, 09:30</text>" in page
    assert ">17:30</text>" in page


def test_examples_that_tell_nothing_are_computed_when_they_are_opened(alices, scored):
    dataset, _ = scored
    address = f"/datasets/{dataset.pk}/trends/"

    assert "No variant differs on" not in text_of(alices.get(address))
    assert "No variant differs on 1 of 3 examples" in text_of(alices.get(f"{address}?items=open"))


def test_one_reason_of_all_unranked_runs_is_said_once(alices, rescorable):
    dataset, _, older = rescorable
    factories.scored_run(older.experiment, ("Paris", "x", "Oslo"), "another older one")

    html = markup(alices.get(f"/datasets/{dataset.pk}/trends/"))

    assert html.count("Not ranked: dataset v1, exact match v1") == 1
    assert html.count('<td class="plot aside" role="cell"></td>') == 2


def test_the_title_names_the_evaluator(alices, scored):
    html = markup(alices.get(f"/datasets/{scored[0].pk}/trends/"))

    assert re.search(r"<title>[^<]* over time by [^<]+ · Evalsite</title>", html)


def test_experiments_on_older_examples_can_be_moved_to_be_ranked(alices, scored):
    dataset, (right, _) = scored
    newer = experiments.create(dataset.project, None, "newer", dataset, [right.experiment.primary])
    factories.scored_run(newer, ("Lyon", "Rome", "Oslo"), "new")
    datasets.edit(dataset, None, 1, {"reference": {"answer": "Lyon"}})
    experiments.use_dataset_version(newer)
    factories.copy_outputs()
    while scoring.work(seconds=10):
        pass
    address = f"/datasets/{dataset.pk}/trends/"

    assert f"Use v2 in {right.experiment.name}" in text_of(alices.get(address))
    alices.post(f"/experiments/{right.experiment_id}/dataset/")
    right.experiment.refresh_from_db()
    assert right.experiment.dataset_version == 2
    assert "Use v2 in" not in text_of(alices.get(address))
