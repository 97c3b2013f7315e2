"""One number per thing: the mean of the same answers is the same text on every page, or a page says what differs."""

import numpy as np
import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.statistics import intervals, summary
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db
RIGHT = [f"{number}" for number in range(8)]


def pages(client, experiment, run) -> dict[str, str]:
    addresses = {
        "experiment": f"/experiments/{experiment.pk}/",
        "run": f"/runs/{run.pk}/",
        "trends": f"/datasets/{experiment.dataset_id}/trends/",
        "home": f"/p/{experiment.project.slug}/",
    }
    return {name: client.get(address).content.decode() for name, address in addresses.items()}


def scored(project, outputs, kind="numeric_match"):
    experiment = factories.experiment(project, kind, references=RIGHT)
    factories.scored_run(experiment, ["9"] * 8, "old")
    return experiment, factories.scored_run(experiment, outputs, "new")


def test_the_mean_of_a_run_is_the_same_everywhere(client, alice, project):
    experiment, run = scored(project, [*RIGHT[:5], "9", "9", "9"])
    client.force_login(alice)

    shown = pages(client, experiment, run)

    assert [name for name, page in shown.items() if "62.5\u202f%" not in page] == []
    assert not any("answered only" in page for page in shown.values())


def test_a_page_that_leaves_out_what_was_not_answered_says_so(client, alice, project):
    experiment, run = scored(project, [*RIGHT[:4], "9", "9", None, None])
    client.force_login(alice)

    shown = pages(client, experiment, run)

    assert "2 unanswered as wrong; 66.7\u202f% answered only" in shown["run"]
    assert [name for name, page in shown.items() if "50.0\u202f%" not in page] == []
    assert "count as wrong" in shown["experiment"]
    assert "counted as worst" in shown["trends"]


def test_a_likeness_leads_with_the_mean_in_which_silence_is_worst(client, alice, project):
    """Its interval is that of the scores with as many of 0, so that it is of the mean beside it."""
    experiment = factories.experiment(project, "levenshtein_similarity", references=["abcd"] * 4)
    factories.scored_run(experiment, ["abcd"] * 4, "old")
    run = factories.scored_run(experiment, ["abcd", "abcx", "abcd", None], "new")
    client.force_login(alice)

    shown = {name: text_of(page) for name, page in pages(client, experiment, run).items()}
    (average,) = client.get(f"/runs/{run.pk}/").context["averages"]

    scores = np.array([1, 0.75, 1, 0])
    mean, sd = summary.moments(scores)
    assert "0.688" in shown["run"]
    assert "0.688" in shown["experiment"]
    assert "1 unanswered as worst; 0.917 answered only" in shown["run"]
    assert average.interval == pytest.approx(intervals.mean_interval(4, mean, sd, None, 0, 1))


def test_an_evaluator_that_fails_missing_answers_has_one_mean(client, alice, project):
    experiment, run = scored(project, [*RIGHT[:4], "9", "9", None, None], "exact_match")
    client.force_login(alice)

    shown = pages(client, experiment, run)

    assert [name for name, page in shown.items() if "50.0\u202f%" not in page] == []
    assert "answered only" not in shown["run"]


@pytest.mark.parametrize(
    ("kind", "last", "words"),
    [
        ("numeric_match", None, "1 unanswered as wrong; 66.7 % answered only, unreadable as wrong"),
        ("numeric_match", "answer: 9", "unreadable as wrong"),
        ("exact_match", None, "unreadable as wrong"),
    ],
)
def test_a_mean_says_what_it_makes_of_unreadable_and_missing_answers(
    client, alice, project, kind, last, words
):
    """Four right answers, two in which nothing is found, and one that is wrong or missing."""
    read = {"actual": {"path": "$.output", "read": [{"step": "after", "marker": "answer:"}]}}
    evaluator = evaluators.create(project, None, kind, kind, {}, read)
    dataset = factories.dataset(project, RIGHT[:7])
    experiment = experiments.create(project, None, "read behind a word", dataset, [evaluator])
    right = [f"answer: {text}" for text in RIGHT[:4]]
    run = factories.scored_run(experiment, [*right, "none", "none", last])
    client.force_login(alice)

    page = text_of(client.get(f"/runs/{run.pk}/"))

    assert "57.1 %" in page
    assert f" {words} " in page


def test_an_evaluator_that_could_read_nothing_has_one_mean_and_says_of_what(client, alice, project):
    """Where it stands beside another one, the run page says the mean of the comparison, and this of what it is."""
    found = {"actual": {"path": "$.output.missing"}}
    experiment = factories.experiment(project, "exact_match", references=RIGHT)
    deaf = evaluators.create(project, None, "deaf", "numeric_match", {}, found)
    experiments.add_evaluators(experiment, [deaf])
    factories.scored_run(experiment, ['{"a": 1}'] * 8, "old")
    run = factories.scored_run(experiment, ['{"a": 1}'] * 8, "new")
    client.force_login(alice)

    shown = {name: text_of(page) for name, page in pages(client, experiment, run).items()}

    assert " 8 unreadable as wrong " in shown["run"]
    (average,) = [one for one in client.get(f"/runs/{run.pk}/").context["averages"] if one.name == "deaf"]
    assert average.value == 0
    assert shown["experiment"].count("all unread as wrong") == 1
    assert "8 0.0 % 0.0 % – no verdict" in shown["experiment"]


def test_a_cell_without_a_mean_draws_nothing(client, alice, project):
    experiment = factories.experiment(project, "exact_match", "numeric_match", references=["a", "b"])
    factories.scored_run(experiment, ["a", "b"], "old")
    factories.scored_run(experiment, ["a", "c"], "new")
    client.force_login(alice)

    rows = client.get(f"/experiments/{experiment.pk}/").context["duel"].rows

    assert [bool(row.plot) for row in rows] == [True, False]
