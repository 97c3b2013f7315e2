"""The segments of an experiment's examples, in the words of the page of a run."""

import numpy as np
import pytest

from evaluations.models import Output
from evaluations.values import Status
from tests import factories
from tests.comparisons import columns
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def told(client, experiment, query=""):
    context = client.get(f"/experiments/{experiment.pk}/{query}").context
    return [[(segment.word, segment.count) for segment in context[name]] for name in ("segments", "among")]


def test_one_variant_passes_and_fails_as_on_the_page_of_its_run(alices, project):
    experiment = factories.experiment(project, references=["a"] * 5)
    run = factories.scored_run(experiment, ["a", "a", "x", "x", None], "only")

    [listed, among] = told(alices, experiment)

    assert listed == [("all", 5), ("fail", 3), ("pass", 2)]
    assert among == [("unanswered", 1)]
    alone = [("all", 5), ("fail", 2), ("pass", 2), ("unanswered", 1)]
    assert told(alices, experiment, "?missing=exclude") == [alone, []]
    of_run = alices.get(f"/runs/{run.pk}/").context["segments"]
    assert [(one.word, one.count) for one in of_run][:4] == alone


def test_answers_that_could_not_be_read_are_unread_and_stand_apart_where_they_count_as_worst(alices, project):
    experiment = columns.experiment(project, 40, ["exact_match"])
    unread = np.where(np.arange(40) < 6, Status.NOT_FOUND, Status.SCORED)
    columns.run(experiment, "base", [np.arange(40) % 2])
    columns.run(experiment, "new", [np.where(np.arange(40) < 6, np.nan, 1.0)], {0: unread})

    listed, among = told(alices, experiment)
    excluded, none = told(alices, experiment, "?missing=exclude")

    assert among == [("unread", 6)]
    assert sum(count for word, count in listed if word != "all") == 40
    assert none == []
    assert ("unread", 6) in excluded
    assert sum(count for word, count in excluded if word != "all") == 40


def test_scorings_that_failed_are_errors_and_not_unanswered(alices, project):
    experiment = columns.experiment(project, 40, ["exact_match"])
    failed = np.where(np.arange(40) < 6, Status.ERROR, Status.SCORED)
    columns.run(experiment, "base", [np.arange(40) % 2])
    columns.run(experiment, "new", [np.where(np.arange(40) < 6, np.nan, 1.0)], {0: failed})

    listed, among = told(alices, experiment)

    assert ("errors", 6) in listed
    assert among == []
    assert "unanswered" not in [word for word, _ in listed]


def test_of_the_unanswered_those_that_failed_stand_apart_from_those_without_an_output(alices, project):
    experiment = factories.experiment(project, references=["a"] * 5)
    factories.scored_run(experiment, ["a"] * 5, "base")
    run = factories.scored_run(experiment, ["a", "a", None, None, None], "new")
    Output.objects.create(run=run, position=3, error="timeout")

    context = alices.get(f"/experiments/{experiment.pk}/").context

    assert [(one.word, one.count) for one in context["among"]] == [("unanswered", 3)]
    assert [(one.word, one.count) for one in context["of_unanswered"]] == [("failed", 1), ("no output", 2)]
    [failed] = alices.get(f"/experiments/{experiment.pk}/?show=failed").context["examples"]
    assert failed.position == 3


def test_unanswered_examples_of_one_kind_are_not_told_apart(alices, project):
    experiment = factories.experiment(project, references=["a"] * 3)
    factories.scored_run(experiment, ["a"] * 3, "base")
    factories.scored_run(experiment, ["a", None, None], "new")

    assert not alices.get(f"/experiments/{experiment.pk}/").context["of_unanswered"]


def test_a_search_leaves_the_counts_of_what_it_found(alices, project):
    experiment = factories.experiment(project, references=["a"] * 5)
    factories.scored_run(experiment, ["a", "a", "apple", "x", None], "old")
    factories.scored_run(experiment, ["a", "x", "a", "x", "a"], "new")

    def counts(query):
        return dict(told(alices, experiment, query)[0])

    assert counts("?q=apple") == {"all": 1, "worse": 0, "better": 1, "tied": 0}
    assert set(counts("?q=nowhere").values()) == {0}
    assert counts("?least=0.5")["all"] == 3
    assert "5 examples" in text_of(alices.get(f"/experiments/{experiment.pk}/?q=apple"))


@pytest.mark.parametrize("query", ["evaluator=999", "variant=999", "with=999", "least=much"])
@pytest.mark.parametrize("variants", [2, 3])
def test_an_address_that_names_what_is_not_compared_says_so(alices, project, query, variants):
    experiment = factories.experiment(project, references=["a"] * 3)
    runs = [factories.scored_run(experiment, ["a", "b", "x"], f"v{n}") for n in range(variants)]
    if query.startswith("with") and variants == 2:
        return  # names the second of two among several
    address = f"/experiments/{experiment.pk}/"

    page = alices.get(f"{address}?{query}")

    assert text_of(page).count(f"“{query}” of this address was not understood and is left out.") == 1
    assert "not understood" not in text_of(alices.get(f"{address}?variant={runs[0].pk}&with={runs[1].pk}"))
