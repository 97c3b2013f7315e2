"""Gates about people's labels and about judges: what helps is part of the gate, and unchecked judges are named."""

import pytest

from evaluations.comparisons.people import passports
from evaluations.errors import Invalid
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.labelling import seal
from tests import judged, people

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice, examples=300, labels=100, overlap=0, rates=(0.5, 0.62))


def gate_of(project, stock, name="people", **criterion):
    rule = {"rule": "not_worse", "evaluator": stock.label_set.pk, "margin": 0.02} | criterion
    return gates.create(project, None, name, Plan(stock.runs[0], [rule]))


def result_of(gate, stock):
    check = gates.check(gate, stock.runs[1])
    assert not check.changes
    return check.results[0]


def test_labels_are_helped_in_a_gate_and_its_interval_is_narrower(project, alice, stock):
    passports.open_sealed(stock.judge, stock.label_set, alice)
    helped, alone = gate_of(project, stock), gate_of(project, stock, "alone", helper=None)
    assert helped.criteria[0]["helper"] == stock.judge.evaluator_id
    assert "helper" not in alone.criteria[0]
    told = result_of(helped, stock)
    assert told["title"] == "good answer, helped by judge: at most 2 points worse"
    low, high = told["interval"]
    alone_low, alone_high = result_of(alone, stock)["interval"]
    assert high - low < 0.9 * (alone_high - alone_low)


def test_a_passport_that_is_opened_later_changes_no_gate(project, alice, stock):
    gate = gate_of(project, stock)
    before = result_of(gate, stock)
    passports.open_sealed(stock.judge, stock.label_set, alice)
    assert result_of(gate, stock) == before
    assert before["title"] == "good answer: at most 2 points worse"


def test_what_is_not_held_against_the_labels_helps_no_gate(project, stock):
    with pytest.raises(Invalid) as refused:
        gate_of(project, stock, helper=stock.judge.evaluator_id)
    assert "criteria/0/helper" in refused.value.fields


def test_a_judge_without_a_passport_is_taken_only_if_the_gate_says_so(project, alice, stock):
    judge = judged.judge(project, stock)
    rule = {"evaluator": judge.evaluator_id}
    with pytest.raises(Invalid) as refused:
        gate_of(project, stock, **rule)
    assert refused.value.code == "judge_not_held"
    told = result_of(gate_of(project, stock, **rule, unchecked=True), stock)
    assert told["title"] == "model judge, an unchecked judge: at most 2 points worse"
    passports.open_sealed(judge, stock.label_set, alice)
    assert "unchecked" not in gate_of(project, stock, "held", **rule).criteria[0]


def test_newly_failing_examples_with_sealed_labels_are_counted_and_not_named(project, stock):
    judge = judged.judge(project, stock)
    rule = {"rule": "no_new_failures", "evaluator": judge.evaluator_id, "value": 0, "unchecked": True}
    gate = gates.create(project, None, "failures", Plan(stock.runs[0], [rule]))
    result = gates.check(gate, stock.runs[1]).results[0]
    baseline, run = stock.verdicts
    assert result["measured"] == ((baseline == 1) & (run == 0)).sum()
    assert result["positions"]
    assert not seal.hidden_examples(stock.runs[0], judge) & {*result["positions"]}
