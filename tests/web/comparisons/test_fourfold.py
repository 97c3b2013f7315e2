"""Two variants by an evaluator that scores only 0 and 1: per cent, points, and a table of what got worse and better."""

import re

import pytest

from evaluations.models import Experiment
from tests import factories
from tests.pages import compact, markup, text_of

pytestmark = pytest.mark.django_db
RIGHT = [f"answer {number}" for number in range(20)]
OLDER = [*RIGHT[:12], *["wrong"] * 8]
NEWER = [*["wrong"] * 3, *RIGHT[3:19], "wrong"]


@pytest.fixture
def experiment(project) -> Experiment:
    experiment = factories.experiment(project, "exact_match", references=RIGHT)
    factories.scored_run(experiment, OLDER, "old")
    factories.scored_run(experiment, NEWER, "new")
    return experiment


def test_the_four_counts_and_the_story_in_a_line(client, alice, experiment):
    client.force_login(alice)

    table = client.get(f"/experiments/{experiment.pk}/").context["fourfold"]

    counts = [field.count for field in (table.both, table.worse, table.better, table.neither)]
    assert counts == [9, 3, 7, 1]
    assert table.caption == "3 worse, 7 better: 4 more pass"


def test_ties_of_the_filter_are_the_two_fields_of_the_table(alices, experiment):
    shown = alices.get(f"/experiments/{experiment.pk}/").context["segments"]

    assert [(one.word, one.count) for one in shown] == [
        ("all", 20), ("worse", 3), ("better", 7), ("both pass", 9), ("neither", 1),
    ]  # fmt: skip
    page = alices.get(shown[-1].address.partition("#")[0]).context
    assert [row.position for row in page["examples"]] == [20]
    assert [one.is_current for one in page["segments"]] == [False, False, False, False, True]


def test_an_open_example_says_no_score_twice_and_its_metadata(alices, experiment):
    """A single evaluator's score stands above each output."""
    experiment.dataset.examples.filter(position=1).update(metadata='{"level": "easy", "topic": "money"}')

    page = alices.get(f"/experiments/{experiment.pk}/?open=1")

    [opened] = [row for row in page.context["examples"] if row.is_open]
    assert opened.told_scores == []
    assert opened.metadata == "level easy · topic money"
    assert opened.metadata in text_of(page)


def test_statistics_of_0_and_1_have_no_histogram_and_no_ties_within(alices, experiment):
    page = text_of(alices.get(f"/experiments/{experiment.pk}/?details={experiment.primary_id}"))

    assert "What if" in page
    assert "the line is the baseline" not in page
    assert "Tie tolerance" not in page
    assert "Tied within" not in page


def test_the_table_names_both_variants(alices, experiment):
    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert all(words in page for words in ("new pass", "new fail", "old pass", "old fail"))


def test_each_field_leads_to_its_examples(client, alice, experiment):
    client.force_login(alice)
    table = client.get(f"/experiments/{experiment.pk}/").context["fourfold"]

    worse, neither = (
        client.get(field.address.partition("#")[0]).context for field in (table.worse, table.neither)
    )

    assert sorted(row.position for row in worse["examples"]) == [1, 2, 3]
    assert [row.position for row in neither["examples"]] == [20]


def test_a_field_is_the_filter_of_the_list_or_a_chip_beside_which_nothing_else_is_chosen(
    client, alice, experiment
):
    client.force_login(alice)
    address = f"/experiments/{experiment.pk}/"
    table = client.get(address).context["fourfold"]

    worse, neither = (
        client.get(field.address.partition("#")[0]).context for field in (table.worse, table.neither)
    )

    assert [segment.word for segment in worse["segments"] if segment.is_current] == ["worse"]
    assert worse["square"] is None
    assert [segment.word for segment in neither["segments"] if segment.is_current] == ["neither"]
    assert neither["square"].words == "both fail"


def test_what_the_table_counts_is_not_counted_again_beside_it(alices, experiment):
    address = f"/experiments/{experiment.pk}/"

    assert ">Examples</th>" not in compact(markup(alices.get(address)))
    opened = alices.get(f"{address}?details={experiment.primary_id}")
    assert ">Examples</th>" in compact(markup(opened))


def test_sentence_and_table_write_per_cent_and_points(client, alice, experiment):
    client.force_login(alice)

    page = client.get(f"/experiments/{experiment.pk}/")

    sentence = page.context["comparison"].sentence.text.replace("\u202f", " ")
    assert "80.0 % of answers right against 60.0 %, +20.0 points (95 % interval " in sentence
    [row] = [row for row in page.context["duel"].rows if row.is_primary]
    assert row.change.bounds.endswith(" points")
    assert "80.0\u202f%" in page.content.decode()


def test_other_scores_have_no_table(client, alice, project):
    experiment = factories.experiment(project, "levenshtein_similarity")
    factories.scored_run(experiment, variant="old")
    factories.scored_run(experiment, ("Paris", "Rome", "O"), "new")
    client.force_login(alice)

    assert client.get(f"/experiments/{experiment.pk}/").context["fourfold"] is None


def test_sentence_and_table_write_means_with_the_same_decimals(alices, project):
    """One decimal of per cent in both, whatever stands beside them."""
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(75)])
    for name, right in (("old", 41), ("new", 67)):
        factories.scored_run(experiment, [f"r{n}" if n < right else "x" for n in range(75)], name)

    page = text_of(alices.get(f"/experiments/{experiment.pk}/")).replace("\u202f", " ")
    high, low = re.search(r"([\d.]+ %) of answers right against ([\d.]+ %)", page).groups()

    assert high == "89.3 %"
    assert page.count(high) >= 2
    assert page.count(low) >= 2
