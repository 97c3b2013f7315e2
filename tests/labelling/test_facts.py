"""What labels become: words without numbers, pairs, adjudicated answers, labels from files, and estimates."""

import csv
import io

import numpy as np
import orjson
import pytest

from evaluations.comparisons import win_rates
from evaluations.comparisons.comparison import Comparison
from evaluations.errors import Invalid, NotFound
from evaluations.experiments import experiments
from evaluations.labelling import adjudication, facts, raters, rating, samples, sent_labels, sets, tasks
from evaluations.models import Label, LabelItem, Output, Rater, Run, Scoring
from evaluations.results import exports
from evaluations.scoring import columns as score_columns
from tests import factories

pytestmark = pytest.mark.django_db
ALL = tasks.Plan(size=3, seed=1, overlap=0)


def rate_all(rater, answer):
    """Rate everything; `answer` makes an answer of the shown outputs."""
    while seat := rating.begin(rater):
        said = answer(*rating.shown(rater, seat).outputs)
        rating.rate(rater, seat.item.token, seat.lease, said)


def column(run):
    slots = score_columns.load(Scoring.objects.get(run=run, evaluator_version__kind="people").pk)
    return [None if np.isnan(value) else value for value in slots.values.tolist()]


# ---- words without numbers -----------------------------------------------------------------------------------


@pytest.fixture
def words(project, alice):
    return sets.create(project, alice, "topic", {"answers": "labels", "labels": "Billing, delivery, other"})


def test_words_without_numbers_are_a_column_without_a_mean(words, alice, variants):
    task = tasks.create(words, alice, variants[:1], ALL)
    rate_all(rating.rater_of(task, alice), lambda output: "billing" if output == "Paris" else "other")
    tasks.close(task)

    scoring = Scoring.objects.get(run=variants[0], evaluator_version__kind="people")
    assert column(variants[0]) == [0, 2, 2]
    assert scoring.summary["n"] == 3
    assert scoring.summary["mean"] is None
    assert [*sets.config_of(task.version).choices] == ["billing", "delivery", "other"]


def test_an_export_has_the_word_beside_its_place(words, alice, variants):
    task = tasks.create(words, alice, variants[:1], ALL)
    rate_all(rating.rater_of(task, alice), lambda output: "billing" if output == "Paris" else "other")
    tasks.close(task)

    rows = list(csv.DictReader(io.StringIO(b"".join(exports.of_run(variants[0], "csv")).decode())))
    assert [(row["topic"], row["topic label"]) for row in rows] == [
        ("0.0", "billing"),
        ("2.0", "other"),
        ("2.0", "other"),
    ]
    objects = [orjson.loads(line) for line in b"".join(exports.of_run(variants[0], "jsonl")).splitlines()]
    assert [row["scores"]["topic"]["label"] for row in objects] == ["billing", "other", "other"]


def test_words_without_numbers_are_not_compared_and_cannot_be_primary(words, alice, variants):
    task = tasks.create(words, alice, variants, ALL)
    rate_all(rating.rater_of(task, alice), lambda output: "other")
    tasks.close(task)

    compared = Comparison(variants, variants[0]).evaluators
    assert words not in list(compared)
    with pytest.raises(Invalid):
        experiments.set_primary(variants[0].experiment, words)


# ---- pairs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def pairs(project, alice):
    return sets.create(project, alice, "better", {"answers": "pair"})


@pytest.fixture
def two(project):
    experiment = factories.experiment(project, references=[f"r{n}" for n in range(60)])
    return [
        factories.scored_run(experiment, [f"{name} {n}" for n in range(60)], name) for name in ("old", "new")
    ]


def preferring_new(left, right):
    """The new answer wins two of three; every sixth pair is a tie."""
    number = int(left.split()[1])
    if number % 6 == 0:
        return "both"
    wins = "new" if number % 3 else "old"
    return "left" if left.startswith(wins) else "right"


@pytest.mark.long
def test_sides_are_drawn_and_stored_and_do_not_matter_to_the_score(pairs, alice, two):
    task = tasks.create(pairs, alice, two, tasks.Plan(size=60, seed=5, overlap=0))
    rate_all(rating.rater_of(task, alice), preferring_new)
    tasks.close(task)

    swapped = LabelItem.objects.filter(task=task, is_swapped=True).count()
    assert 15 < swapped < 45
    new = column(two[1])
    assert column(two[0]) == [1 - value for value in new]
    assert [new[n] for n in (0, 1, 3)] == [0.5, 1, 0]


@pytest.mark.long
def test_a_win_rate_is_the_paired_difference_of_the_product(pairs, alice, two):
    task = tasks.create(pairs, alice, two, tasks.Plan(size=60, seed=5, overlap=0))
    rate_all(rating.rater_of(task, alice), preferring_new)
    tasks.close(task)

    win = win_rates.of_pair(task.version, two)

    assert win.n == 60
    assert win.rate == pytest.approx((40 + 10 / 2) / 60)
    paired = Comparison(two, two[0]).figures.entry(two[1].pk, pairs.pk).paired
    assert win.rate == pytest.approx((1 + paired.difference) / 2)
    assert 0 < win.low < win.rate < win.high < 1


def test_a_set_of_pairs_is_about_two_runs(pairs, alice, two):
    with pytest.raises(Invalid):
        tasks.create(pairs, alice, two[:1], ALL)
    tasks.create(pairs, alice, two, ALL)
    third = factories.scored_run(two[0].experiment, [f"third {n}" for n in range(60)], "third")
    with pytest.raises(Invalid):
        tasks.create(pairs, alice, [two[0], third], ALL)


# ---- samples -------------------------------------------------------------------------------------------------


def test_only_answered_examples_are_drawn(label_set, alice, project):
    run = factories.scored_run(factories.experiment(project, references=list("abcdefgh")), ["x"] * 8)
    Output.objects.filter(run=run, position__lte=7).delete()

    task = tasks.create(label_set, alice, [run], tasks.Plan(size=1, seed=1, overlap=0))

    assert task.items.get().example == 8
    assert task.items.get().probability == 1


def test_a_random_label_knows_its_probability(label_set, alice, two):
    task = tasks.create(label_set, alice, two, tasks.Plan(size=15, seed=1, overlap=0))
    rate_all(rating.rater_of(task, alice), lambda output: "pass")

    [given] = {fact.probability for said in facts.of_run(task.version, two[0]).values() for fact in said}
    assert given == 15 / 60


def test_disagreements_are_drawn_worst_first_and_only_for_reading(project, alice, label_set):
    experiment = factories.experiment(
        project, "levenshtein_similarity", "exact_match", references=["abcd", "abcd", "abcd"]
    )
    run = factories.scored_run(experiment, ["abcd", "abcX", "abXX"])
    plan = tasks.Plan(size=1, seed=1, overlap=0, drawn="disagreement")
    with pytest.raises(Invalid):
        tasks.create(label_set, alice, [run], plan)

    reading = sets.create(project, alice, "to read", {"purpose": "reading"})
    task = tasks.create(reading, alice, [run], plan)

    assert [item.example for item in task.items.all()] == [2]
    assert task.items.get().probability is None
    assert samples.disagreements([run], 2, 1).positions == [2, 3]


def test_labels_of_people_who_see_scores_are_no_estimates(project, alice, variants):
    reading = sets.create(project, alice, "reviewed", {"purpose": "reading"})
    plan = tasks.Plan(size=1, seed=1, overlap=0, drawn="chosen", positions=[2], is_blind=False)
    task = tasks.create(reading, alice, variants[:1], plan)
    rate_all(rating.rater_of(task, alice), lambda output: "fail")

    [[fact]] = facts.of_run(task.version, variants[0]).values()
    assert (fact.word, fact.is_for_estimates) == ("fail", False)


# ---- people who differ ---------------------------------------------------------------------------------------


@pytest.fixture
def differing(label_set, alice, bob, variants):
    task = tasks.create(label_set, alice, variants[:1], tasks.Plan(size=3, seed=1, raters=2, overlap=0))
    rate_all(rating.rater_of(task, alice), lambda output: "pass")
    rate_all(rating.rater_of(task, bob), lambda output: "fail" if output == "Lyon" else "pass")
    tasks.close(task)
    return task


def test_what_is_adjudicated_counts_until_it_is_taken_back(differing, label_set, alice, variants):
    [item] = adjudication.differing(label_set)
    assert column(variants[0]) == [1, 0.5, 1]

    adjudication.decide(item, alice, "fail", "The capital is Rome.")
    assert column(variants[0]) == [1, 0, 1]
    adjudication.decide(item, alice, "pass")
    assert column(variants[0]) == [1, 1, 1]
    assert Label.objects.filter(is_adjudicated=True).count() == 2
    adjudication.undo(item)
    assert column(variants[0]) == [1, 0.5, 1]


def test_nothing_is_decided_where_raters_agree(differing, label_set):
    agreed = differing.items.exclude(pk=adjudication.differing(label_set).get().pk).first()
    with pytest.raises(NotFound):
        adjudication.item_of(label_set, agreed.token)


def test_a_rater_is_forgotten_or_deleted(differing, bob, variants):
    rater = differing.people.get(user=bob)

    raters.forget(rater)
    [_, told] = raters.told(differing, with_names=True)
    assert (told.number, told.name, told.done) == (2, "", 3)

    raters.delete_labels(rater)
    assert column(variants[0]) == [1, 1, 1]
    assert not Label.objects.filter(rater=rater).exists()


def test_only_administrators_are_told_names(differing):
    assert [told.name for told in raters.told(differing, with_names=False)] == ["", ""]
    assert [told.name for told in raters.told(differing, with_names=True)] == ["alice", "bob"]


# ---- labels that exist already -------------------------------------------------------------------------------


def test_labels_of_a_file_count_like_those_given_here(label_set, alice, variants):
    said = [
        {"key": "k1", "value": "pass", "rater": "Ann"},
        {"key": "k1", "value": "fail", "rater": "Ben", "note": "Too short."},
        {"position": 2, "value": True},
        {"position": 3, "unsure": True},
    ]
    sent = sent_labels.send(label_set, alice, variants[0], said, is_random=True)

    assert (sent.stored, sent.raters, sent.unsure) == (4, 3, 1)
    assert column(variants[0]) == [0.5, 1, None]
    assert {
        fact.probability for said in facts.of_run(sent.task.version, variants[0]).values() for fact in said
    } == {1}
    told = tasks.progress(sent.task)
    assert (told.done, told.total) == (sent.stored, sent.stored)


def test_a_second_batch_joins_the_first_and_the_last_label_of_a_rater_counts(label_set, alice, variants):
    first = sent_labels.send(
        label_set, alice, variants[0], [{"position": 1, "value": "pass"}], is_random=True
    )
    again = sent_labels.send(
        label_set, alice, variants[0], [{"position": 1, "value": "fail"}], is_random=True
    )

    assert first.task == again.task
    assert column(variants[0])[0] == 0
    assert Label.objects.count() == 2


@pytest.mark.parametrize(
    ("labels", "is_random", "code"),
    [
        ([{"position": 1, "value": "maybe"}], True, "invalid_choice"),
        ([{"position": 99, "value": "pass"}], True, "unknown_example"),
        ([{"position": 1, "value": "pass"}, {"key": "k1", "value": "fail"}], True, "duplicate_label"),
        ([{"position": 1, "value": "pass"}], False, "invalid"),
        ([{"position": 1, "value": "pass", "unsure": True}], True, "invalid_choice"),
    ],
)
def test_on_a_wrong_label_nothing_is_stored(label_set, alice, variants, labels, is_random, code):
    with pytest.raises(Invalid) as refusal:
        sent_labels.send(label_set, alice, variants[0], labels, is_random=is_random)
    assert refusal.value.code == code
    assert not Label.objects.exists()


@pytest.mark.parametrize("answers", [{}, {"purpose": "reading"}])
def test_the_labels_of_people_decide_an_experiment_without_other_scores(project, alice, label_set, answers):
    experiment = experiments.create(project, alice, "liked", factories.dataset(project, name="plain"), [])
    run = factories.run(experiment, ["a", "b", "c"])
    Run.objects.update(finished_at=None)  # as after an upload without evaluators
    chosen = sets.create(project, alice, "read", answers) if answers else label_set
    said = [{"key": "k1", "value": "pass"}]

    sent_labels.send(chosen, alice, run, said, is_random=not answers)

    experiment.refresh_from_db()
    assert experiment.primary == (None if answers else label_set)
    assert Run.objects.get().finished_at


def test_a_rater_of_several_runs_is_one_person(label_set, alice, variants):
    for run, names in zip(variants, (("Ann", "Ben", None), ("Ann", "Cem", None)), strict=True):
        said = [{"key": "k1", "value": "pass", "rater": name} for name in names]
        sent_labels.send(label_set, alice, run, said, is_random=True)

    assert raters.people(Rater.objects.values_list("pk", flat=True)) == 4
