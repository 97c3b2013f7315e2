"""The page of run statistics: the picture of the label table leads to the rows of its fields."""

from urllib.parse import urlencode

import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
REFERENCES = ["ham", "ham", "spam", "spam", "spam", "news"]
ANSWERS = ["ham", "spam", "spam", "Spam", None, "something else"]


def scored(project, references=REFERENCES, answers=ANSWERS, kind="label", **config):
    used = evaluators.create(project, None, kind, kind, config, {})
    experiment = experiments.create(project, None, "e", factories.dataset(project, references), [used])
    return factories.scored_run(experiment, answers), used


def test_a_field_of_the_table_leads_to_its_rows(alices, project):
    run, used = scored(project)
    page = alices.get(f"/runs/{run.pk}/statistics/")
    [field] = [
        field for row in page.context["table"] for field in row.fields if field.words == "1 ham read as spam"
    ]

    rows = alices.get(field.address.removesuffix("#examples"))

    assert [(row.row.name, row.read, row.passed) for row in rows.context["rows"]] == [("k2", "spam", False)]
    assert rows.context["chip"][0] == "ham read as spam: 1"
    assert "headline" in markup(page)
    assert urlencode({f"reference[{used.pk}]": "ham"}) in field.address


def test_the_list_opens_with_what_is_wrong_and_equal_mix_ups_are_both_named(alices, project):
    run, _ = scored(project, answers=["ham", "spam", "spam", "ham", "spam", "news"])
    address = f"/runs/{run.pk}/statistics/"

    page = alices.get(address)
    [every] = [segment.address for segment in page.context["segments"] if segment.word == "all"]

    assert [row.row.name for row in page.context["rows"]] == ["k2", "k4"]
    assert len(alices.get(every.removesuffix("#examples")).context["rows"]) == 6
    assert [field.words for field in page.context["mixed"]] == ["1 spam read as ham", "1 ham read as spam"]
    assert "Most frequent mix-ups:" in text_of(page)


def test_the_last_column_is_outside_the_labels(alices, project):
    run, used = scored(project)

    rows = alices.get(f"/runs/{run.pk}/statistics/?outside[{used.pk}]=true").context["rows"]

    assert [(row.row.name, row.read) for row in rows] == [("k5", "no answer"), ("k6", "something else")]


def test_the_run_page_filters_by_a_field_and_names_it(alices, project):
    run, used = scored(project)

    page = alices.get(f"/runs/{run.pk}/?reference[{used.pk}]=ham&read[{used.pk}]=spam")

    assert [chip.words for chip in page.context["chips"]] == ["ham read as spam"]
    assert page.context["total"] == 1
    assert f"/runs/{run.pk}/statistics/?evaluator={used.pk}" in markup(page)


def test_the_run_page_says_what_is_most_often_mixed_up(alices, project):
    run, _ = scored(project, answers=["ham", "spam", "ham", "ham", "news", "news"])

    [average] = alices.get(f"/runs/{run.pk}/").context["averages"]

    assert average.mixed_up.startswith("macro-F1 0.")
    assert average.mixed_up.endswith("; most often spam read as ham, 2")


def test_the_experiment_says_the_macro_f1_of_the_run_and_the_phone_what_would_be_right(alices, project):
    run, _ = scored(project, answers=["ham", "spam", "spam", "spam", "news", "news"])
    factories.scored_run(run.experiment, REFERENCES, "other")
    [average] = alices.get(f"/runs/{run.pk}/").context["averages"]
    figure = average.mixed_up.split(";")[0]

    experiment = text_of(alices.get(f"/experiments/{run.experiment_id}/"))

    assert figure.startswith("macro-F1 0.")
    assert f"Statistics of v1 ({figure}), other (macro-F1 1.00)" in experiment
    rows = alices.get(f"/runs/{run.pk}/").context["rows"]
    assert {row.name for row in rows if row.failed} == {"k2", "k5"}


def test_many_labels_are_folded(alices, project):
    references = [f"label {n}" for n in range(20) for _ in range(2)]
    run, _ = scored(project, references, references[::-1])

    page = alices.get(f"/runs/{run.pk}/statistics/")

    assert (len(page.context["labels"]), len(page.context["folded"])) == (15, 5)
    assert len(page.context["mixed"]) == 10


def test_a_corpus_score_shows_its_signature(alices, project):
    run, _ = scored(project, ["a cat sat"], ["a cat sat"], "chrf")

    assert "nrefs:1|" in markup(alices.get(f"/runs/{run.pk}/statistics/"))


def test_a_run_without_statistics_says_which_have_them(alices, project):
    run, _ = scored(project, kind="exact_match")

    assert f"/runs/{run.pk}/thresholds/?evaluator=" in markup(alices.get(f"/runs/{run.pk}/statistics/"))


def test_a_text_that_is_nowhere_finds_no_rows(alices, project):
    run, _ = scored(project)

    assert alices.get(f"/runs/{run.pk}/statistics/?q=nowhere").context["rows"] == []
