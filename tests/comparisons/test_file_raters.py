"""Who rated is said where the columns of the file name the people."""

import pytest

from evaluations.comparisons import file_raters
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.reports.page import _table as report_table
from evaluations.scoring import scoring
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db
TWO = [
    ("rating", variant, f"{who} {variant}", "", []) for variant in ("old", "new") for who in ("Ben", "Anna")
]


@pytest.fixture
def rated(project):
    """Two variants that Anna and Ben rated, each answer by the mean."""
    experiment = factories.experiment(project, references=[f"answer {n}" for n in range(16)])
    path = {"actual": {"path": "$.scores.rating"}}
    rating = evaluators.create(project, None, "rating", "value", {"direction": "maximize"}, path)
    experiments.add_evaluators(experiment, [rating])
    experiments.set_primary(experiment, rating)
    experiment.first_file = {"filename": "ratings.xlsx", "mapping": {"scores": TWO}}
    experiment.save()
    return experiment


def version_of(experiment):
    return next(v for v in experiments.versions_of(experiment) if v.kind == "value")


def test_people_are_known_by_the_columns_of_the_file(rated):
    assert file_raters.of(rated, version_of(rated)) == "Anna and Ben"


@pytest.mark.parametrize("scores", [[], [*TWO[:2], ("rating", "new", "Cleo new", "", [])], TWO[::2]])
def test_nobody_is_named_where_columns_do_not_agree(rated, scores):
    rated.first_file["mapping"]["scores"] = scores

    assert file_raters.of(rated, version_of(rated)) == ""


@pytest.mark.parametrize(("scores", "who"), [(TWO, "by Anna and Ben"), ([], "from the file")])
def test_the_headline_says_who_rated(client, alice, rated, scores, who):
    rated.first_file["mapping"]["scores"] = scores
    rated.save()
    for variant, values in (("old", (1, 2) * 8), ("new", (4, 4) * 8)):
        rows = [
            {"position": n, "output": "x", "scores": {"rating": value}} for n, value in enumerate(values, 1)
        ]
        runs.create(rated, None, variant, rows)
    while scoring.work(seconds=5):
        pass

    client.force_login(alice)
    page = text_of(client.get(f"/experiments/{rated.pk}/"))

    assert f"on rating (scores 1 to 4, {who})" in page
    assert ("Anna and Ben, from the file" in page) == bool(scores)


def test_means_of_grades_are_on_the_scale_of_the_grades(client, alice, rated):
    runs_of = []
    for variant, values in (("old", (5 / 3, 2, 7 / 3, 2) * 4), ("new", (14 / 3, 4, 13 / 3, 4) * 4)):
        rows = [
            {"position": n, "output": "x", "scores": {"rating": value}} for n, value in enumerate(values, 1)
        ]
        runs_of.append(runs.create(rated, None, variant, rows))
    while scoring.work(seconds=5):
        pass

    client.force_login(alice)
    page = text_of(client.get(f"/experiments/{rated.pk}/"))

    assert "on rating (1 to 5, by Anna and Ben)" in page
    assert "No range is declared" not in page
    table = report_table(Comparison(runs_of, runs_of[0]), rated.primary)
    assert table.what == "Mean of the grades of Anna and Ben"
