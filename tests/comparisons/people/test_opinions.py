"""What people say of one run: labels, helped by a judge checked against them, or transferred from other runs."""

from dataclasses import replace

import pytest
from django.urls import reverse

from evaluations.comparisons import opinions
from evaluations.comparisons.people import passports
from evaluations.errors import Invalid
from evaluations.statistics.intervals import wilson
from tests import factories, people
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice, examples=300, labels=100, overlap=0, rates=(0.4, 0.65))


def test_without_a_passport_labels_speak_alone(stock):
    [found] = opinions.of(stock.runs[1])
    labelled = [item.example - 1 for item in stock.task.items.filter(run=stock.runs[1])]
    assert (found.helper, found.helped, found.alone.labels, found.alone.judged) == (None, None, 100, 300)
    assert found.alone.value == pytest.approx(stock.truth[1][labelled].mean())
    low, high = wilson(int(stock.truth[1][labelled].sum()), 100)
    assert found.alone.interval == pytest.approx((low, high))
    assert found.sentence.startswith("People pass ")


def test_a_judge_that_is_held_narrows_the_mean(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    [found] = opinions.of(stock.runs[1])
    assert found.helper == stock.judge
    low, high = found.helped.interval
    assert low < stock.truth[1].mean() < high
    assert high - low < found.alone.interval[1] - found.alone.interval[0]
    assert found.helped.saved > 0
    assert found.judged == pytest.approx(stock.verdicts[1].mean())
    [alone] = opinions.of(stock.runs[1], is_helped=False)
    assert alone.helped is None


def test_more_labels_are_counted_for_five_points(stock):
    [found] = opinions.of(stock.runs[1])
    low, high = found.alone.interval
    assert found.more is None  # all 300 answers would not do
    found = replace(found, alone=replace(found.alone, judged=1000))
    assert found.more == pytest.approx(100 * ((high - low) / 0.1) ** 2 - 100, abs=1)


def test_a_run_without_labels_is_transferred(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    other = factories.scored_run(stock.experiment, ["other"] * 300, "v3")
    assert opinions.of(other) == []
    people.send(other, stock.judge, stock.verdicts[1])
    [found] = opinions.of(other)
    assert found.found is None
    low, high = found.transferred.interval
    assert low < stock.truth[1].mean() < high
    [own] = opinions.of(stock.runs[1])
    assert high - low > own.helped.interval[1] - own.helped.interval[0]
    assert found.sentence.startswith("Nobody labelled answers of v3.")


def test_another_label_set_is_refused(stock):
    with pytest.raises(Invalid):
        opinions.of(stock.runs[0], "no such set")


@pytest.mark.long
def test_the_page_shows_every_line(client, alice, stock):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    client.force_login(alice)
    shown = text_of(client.get(reverse("run-people", args=[stock.runs[1].pk])))
    for words in (
        "people, helped by judge v1",
        "people, labels only",
        "judge v1 alone",
        "Each row is weighed",
    ):
        assert words in shown
    run = text_of(client.get(reverse("run-detail", args=[stock.runs[1].pk])))
    assert "What people say" in run
    other = factories.scored_run(stock.experiment, ["other"] * 300, "v3")
    assert "Nobody labelled these answers" in text_of(client.get(reverse("run-people", args=[other.pk])))
