"""A row of a list that cannot be computed says so: the other rows are shown, and the fault is logged."""

import logging

import numpy as np
import pytest

from evaluations.comparisons.figures.families import Families
from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.leaderboards import leaderboard
from tests.comparisons import columns
from tests.pages import text_of

OLD_MS = [120, 130, 110, 100, 105, 99, 101, 103, 104, 102, 100, 98, 97, 120]
NEW_MS = [2600, 1900, 119, 107, 114, 107, 1000, 103, 110, 111, 109, 99, 105, 128]
NEARLY_EQUAL = np.linspace(0.1, 0.9, 20)


@pytest.fixture
def compared(project):
    """Two experiments of two variants each; the comparison of the second cannot be computed."""

    def make(baseline, variant, kind="levenshtein_distance"):
        experiment = columns.experiment(project, len(baseline), [kind])
        columns.run(experiment, "old", [baseline])
        columns.run(experiment, "new", [variant])
        return experiment

    return make


def pages(experiment):
    return [
        "/",
        "/p/default/",
        "/p/default/experiments/",
        f"/experiments/{experiment.pk}/",
        f"/datasets/{experiment.dataset_id}/trends/",
    ]


@pytest.mark.parametrize(
    ("baseline", "variant", "kind"),
    [
        (OLD_MS, NEW_MS, "levenshtein_distance"),
        ([0.0] * 10, [1e-200] * 10, "levenshtein_distance"),
        ([0.0] * 10, [1e-320] * 10, "levenshtein_distance"),
        (NEARLY_EQUAL, NEARLY_EQUAL + 1e-14, "levenshtein_distance"),
        (NEARLY_EQUAL, NEARLY_EQUAL + 1e-11, "levenshtein_distance"),
        ([0.0] * 10, np.arange(10) * 1e-14, "levenshtein_distance"),
        ([0.0] * 10, np.arange(10) * 1e90, "levenshtein_distance"),
        ([0.0] * 10, np.arange(10) * 1e307, "levenshtein_distance"),
        (np.arange(30) / 100, np.r_[np.arange(25) / 100 + 0.6, np.arange(4) / 100 + 0.27, 0.2899], "rouge_l"),
    ],
)
def test_nasty_scores_are_compared_on_every_page(alices, client, compared, baseline, variant, kind):
    experiment = compared(baseline, variant, kind)
    run, other = experiment.runs.order_by("pk")

    for address in [*pages(experiment), f"/compare/?runs={run.pk},{other.pk}"]:
        response = alices.get(address)
        assert response.status_code == 200, address
        assert "annot be computed" not in text_of(response), address


@pytest.fixture
def planted(monkeypatch, compared):
    """An experiment whose comparison raises, beside one that can be computed."""
    good = compared([0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7])
    bad = compared([0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7])
    compute = Families._primary

    def raising(families):
        if families.dataset.pk == bad.dataset_id:
            raise ZeroDivisionError("planted")
        return compute(families)

    monkeypatch.setattr(Families, "_primary", raising)
    return good, bad


@pytest.mark.parametrize("address", ["/", "/p/default/", "/p/default/experiments/"])
def test_a_list_shows_the_other_rows(alices, planted, caplog, address):
    good, bad = planted

    with caplog.at_level(logging.ERROR):
        page = alices.get(address)

    rows = {row.overview.experiment.pk: row for line in page.context["lines"] for row in line.rows}
    assert page.status_code == 200
    assert rows[bad.pk].silence == "Cannot be computed"
    assert rows[good.pk].change is not None
    assert "Cannot be computed" in text_of(page)
    assert any(record.exc_info and "planted" in str(record.exc_info[1]) for record in caplog.records)


def test_the_page_over_time_shows_the_means_without_a_ranking(alices, planted):
    _, bad = planted

    page = alices.get(f"/datasets/{bad.dataset_id}/trends/")

    assert page.status_code == 200
    assert "Cannot be computed." in text_of(page)
    assert [unranked.reason for unranked in page.context["board"].unranked] == ["cannot be computed"] * 2


def test_the_leaderboard_answers_without_a_ranking(planted):
    board = leaderboard(trends.trend(planted[1].dataset))

    assert (board.reason, board.standings) == ("Cannot be computed.", [])
    assert [unranked.reason for unranked in board.unranked] == ["cannot be computed"] * 2


def test_a_run_whose_mean_cannot_be_computed_leaves_the_others(alices, compared, monkeypatch):
    experiment = compared([0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7])
    run = experiment.runs.order_by("pk").first()

    point = trends._point

    def raising(scoring, *about):
        if scoring.run_id == run.pk:
            raise ValueError("planted")
        return point(scoring, *about)

    monkeypatch.setattr(trends, "_point", raising)

    page = alices.get(f"/datasets/{experiment.dataset_id}/trends/")

    assert page.status_code == 200
    assert "old : cannot be computed" in text_of(page)
    assert alices.get("/").status_code == 200
