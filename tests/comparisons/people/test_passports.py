"""The passport of an evaluator: sealed labels are opened explicitly, counted, and say what it is worth."""

import re

import numpy as np
import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import held, passports, ranking
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators, sent
from evaluations.experiments import experiments
from evaluations.labelling import sealing, sets, tasks
from evaluations.models import Budget, Judging, Label
from evaluations.statistics.people.agreement import Rate
from tests import factories, people

pytestmark = pytest.mark.django_db


@pytest.fixture
def stock(project, alice):
    return people.labelled(project, alice)


def test_parts_are_a_fifth_three_tenths_and_a_half_and_never_change():
    class Set:
        pk = 7

    drawn = sealing.parts(Set, 3, np.arange(10_000))
    shares = np.bincount(drawn) / len(drawn)
    assert shares == pytest.approx([0.2, 0.3, 0.5], abs=0.02)
    assert (sealing.parts(Set, 3, np.arange(10_000)) == drawn).all()


def test_all_answers_to_an_example_are_in_one_part(stock):
    labels = held.labelled_runs(stock.label_set).labels
    assert len(labels) > 160
    for example in np.unique(labels.example):
        assert len(set(labels.part[labels.example == example].tolist())) == 1


def test_without_an_opening_nothing_is_said_of_the_sealed_labels(stock):
    passport = passports.of(stock.judge, stock.label_set)
    assert not passport.is_held
    assert passport.sealed is None
    assert passport.variants == []
    assert passport.parts[sealing.SEALED].agreement is None
    assert passport.sealed_labels > 30
    assert passport.parts[sealing.TUNE].agreement.kappa.value > 0.5


def test_the_head_of_a_judge_says_what_its_passport_says(stock, alice):
    before = passports.in_short(stock.judge)
    opened = passports.open_sealed(stock.judge, stock.label_set, alice)

    assert re.fullmatch(r"not proven: \d+\u202f% on \d+ answers", before)  # of labels that ids choose
    assert passports.in_short(stock.judge) == opened.in_short
    assert opened.in_short.endswith("sealed labels")


def test_an_opening_shows_errors_by_variant_and_is_counted(stock, alice):
    passport = passports.open_sealed(stock.judge, stock.label_set, alice)
    assert passport.is_held
    assert passport.openings_of_version == 1
    assert [variant.name for variant in passport.variants] == ["v1", "v2"]
    assert sum(v.agreement.n for v in passport.variants) == passport.sealed.n == passport.sealed_labels
    assert 0.8 < passport.sealed.raw.value < 1
    assert passport.lenient.of + passport.strict.of == pytest.approx(passport.sealed.n)
    assert passport.peers.n == 32
    assert passport.alpha_of_people.interval
    judge, people_ = passport.alone
    assert 0.4 < people_ < 0.9
    assert abs(judge - people_) < 0.2

    again = passports.open_sealed(stock.judge, stock.label_set, alice)
    assert again.openings_of_version == len(again.openings) == 2


def test_agreement_is_that_of_the_truth_counted_by_hand(stock, alice):
    passport = passports.open_sealed(stock.judge, stock.label_set, alice)
    labels = held.labelled_runs(stock.label_set).labels
    sealed = labels.part == sealing.SEALED
    said = stock.verdicts[labels.run[sealed], labels.position[sealed] - 1]
    agreed = float((labels.share[sealed] * (said == labels.value[sealed])).sum())
    assert passport.sealed.agreed == pytest.approx(agreed)


def test_too_few_labels_are_no_passport(project, alice):
    stock = people.labelled(project, alice, examples=40, labels=15)
    with pytest.raises(Conflict) as refusal:
        passports.open_sealed(stock.judge, stock.label_set, alice)
    assert refusal.value.code == "too_few_labels"
    assert not sealing.openings(stock.judge.evaluator, stock.label_set)


def test_people_are_not_held_against_people(stock):
    with pytest.raises(Invalid):
        passports.of(stock.label_set.versions.get(), stock.label_set)


def test_a_comparison_of_two_answers_is_not_held_against_verdicts_on_one(stock, project, alice):
    pairs = sets.create(project, alice, "better", {"answers": "pair"})
    rubric = {"model": "m", "messages": [{"content": "{{ first }} or {{ second }}?"}]}
    judge = evaluators.newest(factories.evaluator(project, "pair_judge", "pairs", **rubric))
    [formula] = experiments.versions_of(stock.experiment)
    fits = {(v.kind, s.name): held.fits(v, s) for v in (judge, formula) for s in (pairs, stock.label_set)}
    assert fits == {
        ("pair_judge", "better"): True,
        ("pair_judge", "good answer"): False,
        ("exact_match", "better"): False,
        ("exact_match", "good answer"): True,
    }
    classes = held.Classes.of(sets.config_of(sets.newest_of(pairs)))
    assert dict(zip(classes.titles, classes.values, strict=True)) == {"worse": 0, "tie": 0.5, "better": 1}


@pytest.mark.long
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["baseline first", "baseline second"])
@pytest.mark.parametrize("baseline", ["old", "new"])
def test_a_judge_of_pairs_is_held_against_the_pairs_that_it_compared(project, alice, order, baseline):
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(150)])
    old, new = (factories.scored_run(experiment, [f"{v} {n}" for n in range(150)], v) for v in ("old", "new"))
    rubric = {"model": "m", "messages": [{"content": "{{ first }} or {{ second }}?"}]}
    judge = evaluators.newest(factories.evaluator(project, "pair_judge", "pairs", **rubric))
    verdicts = np.array([1.0, 0.0, 0.5] * 50)  # of the new answer
    people.send(new, judge, verdicts)
    people.send(old, judge, np.full(150, 0.5))
    budget = Budget.objects.create(project=project)
    Judging.objects.create(
        version=judge, run=new, against=old, project=project, config=judge.config, size=150, budget=budget
    )
    label_set = sets.create(project, alice, "better", {"answers": "pair"})
    runs = [(old, new)[k] for k in order]
    task = tasks.create(label_set, alice, runs, tasks.Plan(size=150, seed=1, overlap=0))
    rater = factories.rater(task, 1)
    for item in task.items.all():
        value = verdicts[item.example - 1]
        value = value if item.run_id == new.pk else 1 - value
        word = {1.0: "left", 0.0: "right", 0.5: "both"}[value]
        Label.objects.create(
            item=item, rater=rater, version=task.version, answer=word, value=value, seconds=5
        )
    experiments.set_baseline(experiment, baseline)

    passport = passports.open_sealed(judge, label_set, alice)

    assert passport.sealed.raw.value == 1
    assert passport.sealed.agreed == passport.sealed_labels > 30
    assert sum(part.answers for part in passport.parts) == 150  # each pair once
    assert passport.no_verdict == 0

    tasks.close(task)
    experiments.set_primary(experiment, label_set)
    experiment.refresh_from_db()
    old, new = experiment.runs.order_by("pk")
    entry = Comparison([old, new], old).figures.entries_of(label_set)[0]
    assert (entry.helper, entry.helped.judged, entry.helped.method) == (judge, 150, "post_stratified")
    assert [(s.low, s.mean) for s in entry.helped.strata] == [(-0.5, -1.0), (0.0, 0.0), (0.5, 1.0)]


def test_a_judge_that_guesses_is_worth_nothing(project, alice):
    stock = people.labelled(project, alice, right=0.5)
    assert passports.open_sealed(stock.judge, stock.label_set, alice).is_worthless


def test_an_edited_answer_takes_its_labels_along(stock, alice):
    run = stock.runs[0]
    before = held.labelled_runs(stock.label_set).labels.answers
    run.outputs.update(text="something else")
    assert held.labelled_runs(stock.label_set).labels.answers == before // 2


def test_the_evaluator_that_agrees_best_is_told_once_its_labels_are_open(project, alice):
    stock = people.labelled(project, alice, right=0.98)
    found = ranking.of(held.labelled_runs(stock.label_set))
    assert [rival.agreement is None for rival in found.rivals] == [False, True]
    assert found.sentence == "exact match is the only evaluator that can be checked against these labels."

    passports.open_sealed(stock.judge, stock.label_set, alice)
    found = ranking.of(held.labelled_runs(stock.label_set))
    assert found.rivals[0].version == stock.judge
    assert found.lead.is_clear
    assert found.sentence == "judge agrees best."


def test_equal_evaluators_cannot_be_told_apart(project, alice):
    stock = people.labelled(project, alice)
    twin = sent.version(project, alice, "twin", {"minimum": 0.0, "maximum": 1.0, "threshold": 0.5})
    for run, row in zip(stock.experiment.runs.order_by("pk"), stock.verdicts, strict=True):
        people.send(run, twin, row)
    for judge in (stock.judge, twin):
        passports.open_sealed(judge, stock.label_set, alice)
    found = ranking.of(held.labelled_runs(stock.label_set))
    assert not found.lead.is_clear
    assert "too alike to tell" in found.sentence


def test_taste_is_not_told_from_one_answer_of_a_class():
    """1 of 1 against 1 of 24 is no clear difference of error rates, whatever an interval of one answer says."""
    few, many = Rate(0.0, 1.0, (0.0, 0.1)), Rate(23.0, 24.0, (0.8, 1.0))
    enough = Rate(0.0, 10.0, (0.0, 0.28))

    assert not passports._differ(many, few)
    assert passports._differ(many, enough)
