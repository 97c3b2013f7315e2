"""People's labels as the primary evaluator, helped by an evaluator that is checked against them."""

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import passports
from evaluations.experiments import experiments
from tests import people

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    stock = people.labelled(project, alice, examples=300, labels=100, overlap=0, rates=(0.4, 0.65))
    experiments.set_primary(stock.experiment, stock.label_set)
    stock.experiment.refresh_from_db()
    return stock


def comparison(stock, **options):
    runs = stock.runs
    return Comparison(runs, runs[0], **options)


def test_without_a_passport_labels_speak_alone(stock):
    compared = comparison(stock)
    assert compared.figures.people is None
    entry = compared.figures.entries_of(stock.label_set)[0]
    assert (entry.helped, entry.paired.n) == (None, 100)


def test_a_judge_with_a_passport_makes_labels_narrower(stock, alice):
    alone = comparison(stock).figures.entries_of(stock.label_set)[0].paired
    passports.open_sealed(stock.judge, stock.label_set, alice)
    compared = comparison(stock)
    entry = compared.figures.entries_of(stock.label_set)[0]
    paired = entry.paired

    assert entry.helper == stock.judge
    assert entry.helped.judged == 300
    assert paired.mean - paired.baseline_mean == pytest.approx(paired.difference)
    assert paired.interval[1] - paired.interval[0] < alone.interval[1] - alone.interval[0]
    true = float((stock.truth[1] - stock.truth[0]).mean())
    assert paired.interval[0] < true < paired.interval[1]
    assert paired.verdict == "better"
    assert paired.wins + paired.losses + paired.ties == paired.n == entry.helped.labels
    assert entry.helped.saved > 0
    assert f"saved {entry.helped.saved} of them" in compared.sentence.text
    assert "labelled examples, judge judged 300" in compared.sentence.text


def test_the_labels_by_which_a_rubric_was_written_do_not_count(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    entry = comparison(stock).figures.entries_of(stock.label_set)[0]
    assert 70 <= entry.helped.labels < 90


def test_labels_alone_can_be_asked_for(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    compared = comparison(stock, estimate="labels")
    assert compared.figures.people is None


def test_both_ways_round_the_figures_are_the_same(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    one, other = stock.runs
    forth = Comparison([one, other], one).figures.entries_of(stock.label_set)[0].paired
    back = Comparison([one, other], other).figures.entries_of(stock.label_set)[0].paired
    assert back.difference == pytest.approx(-forth.difference)
    assert back.interval == pytest.approx((-forth.interval[1], -forth.interval[0]), abs=1e-9)
    assert back.p == pytest.approx(forth.p)


@pytest.mark.long
def test_a_judge_that_guesses_saves_nothing(project, alice):
    stock = people.labelled(project, alice, examples=300, labels=100, overlap=0, right=0.5)
    experiments.set_primary(stock.experiment, stock.label_set)
    passports.open_sealed(stock.judge, stock.label_set, alice)
    compared = comparison(stock)
    assert compared.figures.entries_of(stock.label_set)[0].helped.saved == 0
    assert "saved none of them" in compared.sentence.text


def test_a_judge_that_is_primary_is_not_people(stock, alice):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    experiments.set_primary(stock.experiment, stock.judge.evaluator)
    assert comparison(stock).figures.people is None


@pytest.mark.long
def test_a_judge_of_grades_makes_labels_of_a_scale_narrower(project, alice):
    stock = people.graded(project, alice)
    experiments.set_primary(stock.experiment, stock.label_set)
    alone = comparison(stock).figures.entries_of(stock.label_set)[0].paired
    passports.open_sealed(stock.judge, stock.label_set, alice)
    compared = comparison(stock)
    entry = compared.figures.entries_of(stock.label_set)[0]

    assert (entry.helped.method, entry.paired.method) == ("prediction_powered", "prediction_powered")
    assert entry.helped.judged == 300
    assert 100 <= entry.helped.labels < 160
    assert entry.paired.interval[1] - entry.paired.interval[0] < alone.interval[1] - alone.interval[0]
    assert entry.paired.mean - entry.paired.baseline_mean == pytest.approx(entry.paired.difference)
    true = float((stock.truth[1] - stock.truth[0]).mean())
    assert entry.paired.interval[0] < true < entry.paired.interval[1]
    assert 3 < entry.paired.baseline_mean < 3.6
    assert entry.helped.saved > 0


def test_below_a_hundred_labels_grades_speak_alone(project, alice):
    stock = people.graded(project, alice, labels=90)
    experiments.set_primary(stock.experiment, stock.label_set)
    passports.open_sealed(stock.judge, stock.label_set, alice)
    assert comparison(stock).figures.people is None
