"""The row of answered examples, which says something only where the variants differ."""

import re

import pytest

from evaluations.comparisons import overviews
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.web.comparisons.verdicts import listing
from tests import factories, pages

pytestmark = pytest.mark.django_db
OUTPUTS = ("Paris", None, "Oslo")


@pytest.mark.parametrize(
    ("other", "is_shown"), [(("Rome", "Rome", None), False), (("Rome", "Rome", "Oslo"), True)]
)
def test_the_row_is_shown_if_one_variant_answered_more(alices, project, other, is_shown):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, OUTPUTS, "old")
    factories.scored_run(experiment, other, "new")

    page = alices.get(f"/experiments/{experiment.pk}/").content.decode()

    assert (">Answered<" in page.replace("\n", "").replace(" ", "")) is is_shown


def test_the_list_counts_the_examples_that_were_asked(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, OUTPUTS, "old")
    datasets.append(experiment.dataset, None, [{"inputs": {"question": "new"}}])
    experiment.refresh_from_db()
    experiments.use_dataset_version(experiment)

    [overview] = overviews.load([experiment])

    assert overview.example_count == 3


@pytest.fixture
def labelled(project):
    """Two variants whose answers are read as one of two labels."""
    mapping = {
        "actual": {"path": "$.output", "read": [{"step": "choice", "labels": ["Paris", "Oslo"]}]},
        "expected": {"path": "$.expected"},
    }
    evaluator = evaluators.create(project, None, "city", "label", {}, mapping)
    dataset = factories.dataset(project, ["Paris", "Oslo"] * 6)
    experiment = experiments.create(project, None, "cities", dataset, [evaluator])
    factories.scored_run(experiment, ["Paris"] * 12, "old")
    return experiment


@pytest.mark.parametrize(
    ("answer", "told", "named"),
    [
        ("Paris or Oslo", "No single label was found in 5 of 12 answers of new", "unreadable answers"),
        (None, "new left 5 of 12 examples unanswered.", "unanswered examples"),
    ],
)
def test_the_page_tells_unreadable_answers_from_unanswered_examples(alices, labelled, answer, told, named):
    factories.scored_run(labelled, [answer] * 5 + ["Paris"] * 7, "new")

    worst, excluded = (
        " ".join(alices.get(f"/experiments/{labelled.pk}/{query}").content.decode().split())
        for query in (f"?details={labelled.primary_id}", "?missing=exclude")
    )

    assert told in pages.text_of(worst)
    assert f">Exclude {named}</a>" in worst
    assert "Unanswered or unreadable, counted as worst 5" in pages.text_of(worst)
    assert f"{named.capitalize()} are excluded." in pages.text_of(excluded)


def test_nothing_is_offered_to_be_excluded_if_everything_is_answered(alices, labelled):
    factories.scored_run(labelled, ["Oslo"] * 12, "new")

    assert ">Exclude " not in alices.get(f"/experiments/{labelled.pk}/").content.decode()


@pytest.mark.parametrize("query", ["?cluster=none", "?cluster=inputs"])
def test_examples_are_offered_to_be_independent_where_the_page_says_what_they_share(alices, project, query):
    asked_twice = [
        {"key": f"k{n}", "inputs": {"question": f"q{n % 12}"}, "reference": {"answer": "Paris"}}
        for n in range(24)
    ]
    dataset = datasets.create(project, None, "asked twice", asked_twice)
    experiment = experiments.create(project, None, "twice", dataset, [factories.evaluator(project)])
    for variant, right in (("old", 12), ("new", 15)):
        factories.scored_run(experiment, ["Paris"] * right + ["Oslo"] * (24 - right), variant)

    page = pages.text_of(alices.get(f"/experiments/{experiment.pk}/{query}"))

    told = "so say less: intervals allow for that. Treat examples as independent" in page
    assert told is ("Treat examples as independent" in page) is (query == "?cluster=inputs")


@pytest.mark.parametrize(("answers", "answer"), [("Rome", "Not yet clear"), (None, "")])
def test_a_question_has_no_answer_where_there_is_no_verdict(project, answers, answer):
    dataset = factories.dataset(project)
    chosen = [factories.evaluator(project)]
    experiment = experiments.create(project, None, "Does the new prompt help?", dataset, chosen)
    for variant in ("old", "new"):
        factories.scored_run(experiment, [answers] * 3, variant)

    [row] = listing.table(overviews.load([experiment])).rows

    assert row.answer == answer


def test_the_mean_of_a_single_variant_has_an_interval(alices, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, OUTPUTS, "only")

    page = pages.text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert re.search(r"\d to \d[\d.]*\s%", page)
