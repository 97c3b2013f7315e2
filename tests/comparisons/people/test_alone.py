"""Beside people's labels a judge alone has no verdict, on no way out; and labels for reading have none at all."""

import csv
import io

import pytest

from evaluations.comparisons import export, notes
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import passports
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.labelling import rating, sets, tasks
from tests import factories, judged, people

pytestmark = pytest.mark.django_db
ALONE = "A judge alone gives no verdict about people's opinion: it is"


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice, examples=300, labels=100, overlap=0, rates=(0.4, 0.65))


@pytest.fixture
def judge(project, stock):
    experiments.set_primary(stock.experiment, stock.label_set)
    return judged.judge(project, stock)


def entry(stock, judge):
    compared = Comparison(stock.runs, stock.runs[0])
    return next(e for e in compared.figures.entries if e.evaluator == judge.evaluator)


def test_its_figures_stay_and_its_verdict_goes(alice, stock, judge):
    found = entry(stock, judge)
    assert found.paired.difference > 0 < found.paired.interval[0]
    assert (found.paired.verdict, found.paired.p_corrected, found.paired.equivalence) == (None, None, None)
    assert found.paired.reason == f"{ALONE} not checked against people."
    passports.open_sealed(judge, stock.label_set, alice)
    assert entry(stock, judge).paired.reason == f"{ALONE} checked against people."


def test_file_and_sentence_say_the_same(stock, judge):
    compared = Comparison(stock.runs, stock.runs[0])
    rows = csv.DictReader(io.StringIO(export.as_csv(compared).decode()))
    [row] = [row for row in rows if row["evaluator"] == "model judge"]
    assert (row["verdict"], row["standing"]) == ("", "not_held")
    assert row["reason"] == f"{ALONE} not checked against people."
    assert "no verdict on model judge" in notes.remarks(compared)


@pytest.mark.long
def test_of_three_variants_the_table_counts_it_as_no_verdict(project, alice):
    stock = people.labelled(project, alice, examples=200, labels=80, overlap=0, rates=(0.3, 0.5, 0.7))
    experiments.set_primary(stock.experiment, stock.label_set)
    judge = judged.judge(project, stock)
    compared = Comparison(stock.runs, stock.runs[0])
    assert {e.paired.verdict for e in compared.figures.entries if e.evaluator == judge.evaluator} == {None}


def test_a_judge_that_decides_is_called_a_judge(stock, judge):
    experiments.set_primary(stock.experiment, judge.evaluator)
    told = Comparison(stock.runs, stock.runs[0]).sentence.text
    assert "v2 is better than v1" in told
    assert told.endswith("model judge is a judge, not checked against people.")


def test_a_gate_that_takes_a_judge_keeps_its_verdict(project, stock, judge):
    rule = {"rule": "better", "evaluator": judge.evaluator_id, "unchecked": True}
    gate = gates.create(project, None, "judge", Plan(stock.runs[0], [rule]))
    assert gates.check(gate, stock.runs[1]).results[0]["verdict"] == "pass"


def test_labels_for_reading_decide_nothing(project, alice):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ("Paris", "Bern", "Rome"), name) for name in ("one", "two")]
    reading = sets.create(project, alice, "read", {"purpose": "reading"})
    plan = tasks.Plan(size=3, seed=1, drawn="chosen", positions=[1, 2, 3], is_blind=False, overlap=0)
    task = tasks.create(reading, alice, runs, plan)
    rater = rating.rater_of(task, alice)
    while seat := rating.begin(rater):
        rating.rate(rater, seat.item.token, seat.lease, "pass" if seat.item.run == runs[1] else "fail")
    tasks.close(task)
    compared = Comparison(runs, runs[0])
    found = next(e for e in compared.figures.entries if e.evaluator == reading)
    assert (found.standing, found.paired.verdict, found.paired.difference) == ("reading", None, 1.0)
    assert compared.figures.primary != reading
    with pytest.raises(Invalid) as refused:
        gates.create(project, None, "no", Plan(runs[0], [{"rule": "better", "evaluator": reading.pk}]))
    assert "criteria/0/evaluator" in refused.value.fields
