"""The threshold explorer: function, page and API against counting by hand."""

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluations.access import api_keys
from evaluations.comparisons import thresholds
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.models import Scope
from evaluations.scoring import columns
from tests import factories

ANSWERS = ("Paris", "Rome", "Oslo", "Bern", "Wien", "Riga")
GOOD = ("Paris", "Roma", "Oslo", "Bern", "Vienna", "Riga")
POOR = ("Lyon", "Milan", "Oslo", "Berne", "Graz", "Rigga")
# A person's verdicts on the answers of "good".
LIKED = ("yes", "yes", "yes", "yes", "no", None)


@pytest.fixture
def runs(project):
    """Two scored variants of an experiment with a similarity and exact match, and verdicts in the metadata."""
    examples = [
        {
            "key": f"k{n}",
            "inputs": {"q": n},
            "reference": {"answer": answer},
            "metadata": {"liked": liked, "by": "Ann"},
        }
        for n, (answer, liked) in enumerate(zip(ANSWERS, LIKED, strict=True))
    ]
    dataset = datasets.create(project, None, "Capitals", examples)
    evaluators = [factories.evaluator(project, kind) for kind in ("levenshtein_similarity", "exact_match")]
    experiment = experiments.create(project, None, "Which prompt?", dataset, evaluators)
    scored_runs = [factories.scored_run(experiment, *outputs) for outputs in ((GOOD, "good"), (POOR, "poor"))]
    for run in scored_runs:
        run.experiment.refresh_from_db()
    return scored_runs


@pytest.fixture
def pages(alice):
    client = Client()
    client.force_login(alice)
    return client


def similarity(run):
    return run.scorings.get(evaluator_version__kind="levenshtein_similarity")


def address(run, query=""):
    return f"/runs/{run.pk}/thresholds/{query}"


# ---- the use case ------------------------------------------------------------------------------------------


def test_each_of_the_101_points_equals_counting(runs):
    exploration = thresholds.explore(runs[0])

    assert exploration.thresholds == tuple(step / 100 for step in range(101))
    assert [line.run for line in exploration.lines] == runs
    for line in exploration.lines:
        values = columns.load(similarity(line.run).pk).values
        values = values[np.isfinite(values)]
        by_hand = [
            sum(value >= threshold for value in values) / len(values) for threshold in exploration.thresholds
        ]
        assert list(line.sweep.pass_rates) == by_hand


def test_the_point_of_the_pass_mark_is_the_pass_rate_of_the_summary(runs):
    exploration = thresholds.explore(runs[0])

    index = exploration.nearest(None)

    assert exploration.thresholds[index] == exploration.pass_mark == 0.7
    assert exploration.lines[0].sweep.pass_rates[index] == similarity(runs[0]).summary["pass_rate"]


def test_without_a_pass_mark_the_threshold_that_tells_the_variants_apart_best_is_shown(project):
    experiment = factories.experiment(project, "rouge_l", references=["a b c d", "a b c d"])
    outputs = {"whole": ["a b c d"] * 2, "half": ["a b"] * 2}
    runs = [factories.scored_run(experiment, texts, name) for name, texts in outputs.items()]

    exploration = thresholds.explore(runs[0])
    rates = [line.sweep.pass_rates[exploration.nearest(None)] for line in exploration.lines]

    assert exploration.pass_mark is None
    assert rates == [1.0, 0.0]


def test_agreement_with_a_metadata_column_equals_counting(runs):
    exploration = thresholds.explore(runs[0], verdict="metadata:liked")

    values = columns.load(similarity(runs[0]).pk).values[:5]
    liked = np.array([True, True, True, True, False])
    for index, threshold in enumerate(exploration.thresholds):
        passed = values >= threshold
        hits = (passed & liked).sum()
        assert exploration.agreement.precision[index] == (hits / passed.sum() if passed.any() else None)
        assert exploration.agreement.recall[index] == hits / 4
    assert exploration.agreement.n == 5
    # Wien/Vienna is 0.5 and disliked, Rome/Roma 0.75 is the lowest that is liked: all from 0.51 to 0.75 agree.
    assert exploration.agreement.best == 0.51
    assert exploration.agreement.kappa[51] == exploration.agreement.kappa[75] == 1.0
    assert exploration.agreement.interval[0] <= 0.51 <= exploration.agreement.interval[1]


def test_another_evaluator_can_be_the_judge(runs):
    judge = runs[0].scorings.get(evaluator_version__kind="exact_match").evaluator_version.evaluator

    exploration = thresholds.explore(runs[0], verdict=f"evaluator:{judge.pk}")

    assert exploration.agreement.n == 6
    assert exploration.agreement.kappa[100] == 1.0


def test_only_columns_of_verdicts_and_evaluators_that_pass_are_offered(runs):
    keys = [source.key for source in thresholds.explore(runs[0]).sources]

    assert [key.partition(":")[0] for key in keys] == ["metadata", "evaluator"]
    assert keys[0] == "metadata:liked"


def test_thresholds_of_an_unbounded_kind_reach_to_its_largest_score(project):
    experiment = factories.experiment(project, "levenshtein_distance")
    run = factories.scored_run(experiment, ("Paris", "Lyon", "Oslo"))

    exploration = thresholds.explore(run)

    assert exploration.comparison == "<="
    assert exploration.thresholds[-1] == 4.0  # Lyon/Rome
    assert exploration.lines[0].sweep.pass_rates[0] == pytest.approx(2 / 3)
    assert exploration.lines[0].sweep.pass_rates[-1] == 1.0


def test_a_kind_that_must_exceed_its_threshold_is_swept_so(project):
    run = factories.scored_run(factories.experiment(project, "similarity_match"), ("Paris", "Lyon", "Oslo"))

    exploration = thresholds.explore(run)

    assert exploration.comparison == ">"
    assert exploration.lines[0].sweep.pass_rates[100] == 0.0


def test_an_older_run_of_a_variant_stands_beside_the_newer(runs):
    newer = factories.scored_run(runs[0].experiment, ANSWERS, "good")

    exploration = thresholds.explore(runs[0])

    assert {line.run for line in exploration.lines} == {runs[0], newer, runs[1]}
    assert exploration.lines[0].run == runs[0]


@pytest.mark.parametrize("query", [{"evaluator": "none"}, {"verdict": "metadata:by"}, {"verdict": "x"}])
def test_an_unknown_evaluator_or_column_of_verdicts_is_refused(runs, query):
    with pytest.raises(Invalid):
        thresholds.explore(runs[0], **query)


def test_without_scores_there_is_nothing_to_explore(project):
    run = factories.run(factories.experiment(project), start=False)

    with pytest.raises(Invalid, match="no scores yet"):
        thresholds.explore(run)


# ---- the page and the API ----------------------------------------------------------------------------------


def test_the_page_shows_every_variant_at_a_threshold(runs, pages):
    page = pages.get(address(runs[0], "?threshold=0.76&verdict=metadata:liked")).content.decode()

    assert 'value="0.76"' in page
    assert "50.0" in page  # Paris, Oslo, Bern of six
    assert page.count('class="series-0"') >= 2
    assert "Agreement with liked" in page


def test_htmx_gets_the_part_below_the_slider(runs, pages):
    headers = {"HX-Request": "true", "HX-Target": "explored"}

    part = pages.get(address(runs[0], "?threshold=0.5"), headers=headers).content.decode()

    assert part.strip().startswith('<div id="explored">')


def test_the_run_links_to_its_thresholds(runs, pages):
    assert f'"/runs/{runs[0].pk}/thresholds/' in pages.get(f"/runs/{runs[0].pk}/").content.decode()


def test_the_team_sees_it_and_a_stranger_does_not(runs, bob, charlie, pages):
    answers = []
    for user in (bob, charlie):
        pages.force_login(user)
        answers.append(pages.get(address(runs[0])).status_code)

    assert answers == [200, 404]


def test_more_variants_ask_the_database_no_more_often(runs, pages, django_assert_max_num_queries):
    for number in range(4):
        factories.scored_run(runs[0].experiment, GOOD, f"v{number}")
    pages.get("/")

    with django_assert_max_num_queries(14):
        pages.get(address(runs[0], "?verdict=metadata:liked"))


def test_the_verdicts_of_a_version_are_read_once(runs, django_assert_num_queries):
    assert runs[0].experiment.dataset.version == 1
    with CaptureQueriesContext(connection) as first:
        before = thresholds.explore(runs[0], verdict="metadata:liked")
    with django_assert_num_queries(len(first) - 2):  # Neither the verdicts nor the columns of scores again.
        after = thresholds.explore(runs[0], verdict="metadata:liked")

    assert after.agreement == before.agreement


def test_the_api_gives_the_same_numbers(runs, project, client):
    key = api_keys.create_key(project, None, "reader", Scope.READ)[1]

    answer = client.get(
        f"/api/v1/runs/{runs[0].pk}/thresholds/?evaluator=levenshtein%20similarity&verdict=metadata:liked",
        headers={"Authorization": f"Bearer {key}"},
    ).json()

    exploration = thresholds.explore(runs[0], verdict="metadata:liked")
    assert answer["thresholds"] == list(exploration.thresholds)
    assert [run["pass_rates"] for run in answer["runs"]] == [
        list(line.sweep.pass_rates) for line in exploration.lines
    ]
    assert answer["agreement"]["best"] == 0.51
    assert answer["agreement"]["kappa"] == list(exploration.agreement.kappa)
    assert answer["verdicts"][0] == {"key": "metadata:liked", "title": "liked"}
