"""Sent scores are records: nothing that computes scores again loses one, and each counts for its own answer."""

import numpy as np
import pytest

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs, sent_scores
from evaluations.models import Evaluator, Job, Output, Record, Run, Scoring
from evaluations.results.rows import explanations
from evaluations.scoring import columns, jobs, scoring
from tests import factories

pytestmark = pytest.mark.django_db


def rows(*values):
    return [{"position": n, "value": value} for n, value in enumerate(values, 1) if value is not None]


def work():
    while scoring.work(seconds=10):
        pass


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project))


def send(run, *values, name="helpful", **settings):
    return sent_scores.send(run, None, name, settings, rows(*values))


def column(run, name="helpful"):
    """The scores of the newest version: number, or status without one."""
    found = Scoring.objects.filter(run=run, evaluator_version__evaluator__name=name).order_by(
        "evaluator_version__number"
    )
    slots = columns.load(found.last().pk)
    return [
        float(value) if not np.isnan(value) else int(status)
        for value, status in zip(slots.values, slots.status, strict=True)
    ]


NOT_SENT, NO_ANSWER = 6, 2


def test_a_column_has_what_was_sent_and_says_what_was_not(run):
    sent = send(run, 1, None, 0.5)

    assert (sent.scored, sent.replaced) == (2, 0)
    assert column(run) == [1, NOT_SENT, 0.5]
    summary = Scoring.objects.get(evaluator_version=sent.version).summary
    assert (summary["n"], summary["mean"], summary["counts"]["not_sent"]) == (2, 0.75, 1)


def test_the_last_score_counts_and_the_others_stay(run):
    send(run, 1, 0)

    assert send(run, 0.25).replaced == 1
    assert column(run) == [0.25, 0, NOT_SENT]
    assert Record.objects.count() == 3


def test_a_later_batch_leaves_the_column_that_its_records_make(run):
    sent_scores.send(
        run, None, "helpful", {}, [{"position": 1, "error": "no idea"}, {"position": 2, "value": 0.5}]
    )
    for batch in ({"position": 1, "value": 0.25}, {"position": 3, "error": "too long"}):
        sent_scores.send(run, None, "helpful", {}, [batch])
    scored = Scoring.objects.get(run=run, evaluator_version__evaluator__name="helpful")
    sent, notes, figures = column(run), scored.blocks.get().notes, scored.summary

    jobs.score_again(run)
    work()

    scored.refresh_from_db()
    assert (column(run), scored.blocks.get().notes, scored.summary) == (sent, notes, figures)
    assert (sent[:2], notes["messages"]) == ([0.25, 0.5], {"2": "sent_error: too long"})


def test_a_draft_gets_its_column_when_it_is_started(project):
    draft = factories.run(factories.experiment(project), start=False)
    send(draft, 1, 0, 1)
    assert not draft.scorings.exists()

    runs.begin(draft)
    work()

    assert column(draft) == [1, 0, 1]


def test_scores_of_a_replaced_answer_do_not_count_until_it_comes_back(project):
    draft = factories.run(factories.experiment(project), start=False)
    send(draft, 1, 0, 1)
    runs.add_outputs(draft, [{"position": 2, "output": "another"}])
    runs.begin(draft)
    work()
    assert column(draft) == [1, NOT_SENT, 1]

    Output.objects.filter(run=draft, position=2).update(text="Lyon")
    jobs.score_again(draft)
    work()

    assert column(draft) == [1, 0, 1]


def test_scoring_again_cancelling_resuming_and_retrying_lose_no_record(run):
    send(run, 1, 0, 0.5)
    jobs.score_again(run)
    runs.cancel(run)
    runs.resume(run)
    work()
    run.refresh_from_db()
    runs.retry_errors(run, Evaluator.objects.all())
    work()
    runs.add_scorings(run, [factories.evaluator(run.project, "levenshtein_similarity")])
    work()

    assert column(run) == [1, 0, 0.5]


def test_a_deleted_run_that_is_restored_after_its_dataset_moved_has_its_records(run):
    send(run, 1, 0, 0.5)
    runs.delete(run)
    edit(run, "k1", {"reference": {"answer": "Roma"}})
    experiments.use_dataset_version(run.experiment)
    factories.copy_outputs()
    owned.restore(Run.objects.get(pk=run.pk))
    runs.resume(Run.objects.get(pk=run.pk))
    work()

    assert sorted(column(Run.objects.get(pk=run.pk))) == [0, 0.5, 1]


def edit(run, key, change):
    dataset = run.experiment.dataset
    example = dataset.examples.get(key=key, removed_in=None)
    datasets.edit(dataset, None, example.position, change)
    dataset.refresh_from_db()


def test_moving_the_dataset_keeps_scores_of_unchanged_answers(run):
    send(run, 1, 0, 0.5)
    edit(run, "k1", {"reference": {"answer": "Roma"}})
    edit(run, "k3", {"inputs": {"question": "another"}})

    experiments.use_dataset_version(run.experiment)
    factories.copy_outputs()
    work()
    run = Run.objects.get(pk=run.pk)

    # k2 kept its position; k1 was edited and its answer moved; nobody was asked the new question of k3
    assert column(run) == [0, 1]


def test_sent_scores_change_no_output_revision_and_no_other_column(run):
    before, exact = run.revision, column(run, "exact match")
    send(run, 1, 0, 0.5)
    run.refresh_from_db()

    assert run.revision == before
    assert column(run, "exact match") == exact
    assert run.status == Run.Status.COMPLETED
    assert Job.objects.count() == 1


def test_every_batch_changes_the_stamp_of_its_column(run):
    send(run, 1)
    first = Scoring.objects.get(evaluator_version__kind="sent").stamp
    send(run, 0)

    assert Scoring.objects.get(evaluator_version__kind="sent").stamp != first


def test_removed_scores_come_back(run):
    sent = send(run, 1, 0, 0.5)
    sent_scores.remove(run, sent.version.evaluator)
    assert not Scoring.objects.filter(evaluator_version=sent.version).exists()

    sent_scores.restore(run, sent.version.evaluator)
    work()

    assert column(run) == [1, 0, 0.5]


def test_scores_sent_after_a_removal_do_not_bring_the_removed_back(run):
    sent = send(run, 1, 0, 0.5)
    sent_scores.remove(run, sent.version.evaluator)
    send(run, 0.25)

    assert column(run) == [0.25, NOT_SENT, NOT_SENT]
    with pytest.raises(Conflict, match="sent again"):
        sent_scores.restore(run, sent.version.evaluator)


# ---- versions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"direction": "minimize"},
        {"minimum": -1},
        {"labels": "good = 1"},
        {"code": {"sha256": "a" * 64}},
    ],
)
def test_other_settings_make_the_next_version(run, settings):
    assert [send(run, 1).version.number, send(run, 1, **settings).version.number] == [1, 2]


def test_left_out_settings_are_those_of_the_newest_version(run):
    send(run, 1, minimum=0, maximum=1, code={"sha256": "a" * 64, "client": "one"})

    again = send(run, 1, code={"sha256": "a" * 64, "client": "two"})

    assert again.version.number == 1
    with pytest.raises(Invalid, match="outside 0 to 1"):
        send(run, 2)


def test_a_name_of_a_computed_evaluator_is_refused(run):
    with pytest.raises(Conflict) as refusal:
        send(run, 1, name="exact match")
    assert refusal.value.code == "evaluator_is_computed"


def test_nobody_can_choose_a_sent_evaluator_to_score_a_run(run, project):
    evaluator = send(run, 1).version.evaluator

    with pytest.raises(Invalid, match="sent to a run"):
        runs.add_scorings(run, [evaluator])
    with pytest.raises(Invalid, match="sending scores"):
        evaluators.create(project, None, "mine", "sent", {}, {})


# ---- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "code"),
    [
        ({"position": 9, "value": 1}, "unknown_example"),
        ({"value": 1}, "unknown_example"),
        ({"position": 1, "value": "terrible"}, "not_a_score"),
        ({"position": 1, "value": float("nan")}, "not_a_score"),
        ({"position": 1, "label": "terrible"}, "not_a_score"),
        ({"position": 1, "value": 1, "error": "broken"}, "not_a_score"),
        ({"position": 1, "value": 1, "note": "x" * 5_000}, "not_a_score"),
        ({"key": "k2", "value": 1}, "duplicate_score"),
    ],
)
def test_one_wrong_score_refuses_the_batch(run, score, code):
    with pytest.raises(Invalid) as refusal:
        sent_scores.send(run, None, "helpful", {}, [{"position": 2, "value": 1}, score])

    assert refusal.value.code == code
    assert not Record.objects.exists()
    assert not Evaluator.objects.filter(name="helpful").exists()


def test_errors_labels_and_nothing_at_all_are_kept(run):
    sent = sent_scores.send(
        run,
        None,
        "helpful",
        {"labels": "good = 1, bad = 0"},
        [
            {"key": "k1", "label": "Good", "note": "short", "by": "ann"},
            {"key": "k2", "error": "KeyError: 'sources'"},
            {"key": "k3", "value": None},
        ],
    )
    made = Scoring.objects.filter(evaluator_version=sent.version)

    assert column(run) == [1, 4, NOT_SENT]
    told = [explanations(run, n, list(made))[made.get().pk] for n in (1, 2, 3)]
    assert told[0]["note"] == "From ann: short."
    assert told[0]["records"][0]["label"] == "Good"
    assert told[1]["records"][0]["error"] == "KeyError: 'sources'"


def test_an_explanation_counts_the_scores_of_earlier_answers(run):
    send(run, 1)
    Output.objects.filter(run=run, position=1).update(text="another")
    send(run, 0)
    made = Scoring.objects.get(evaluator_version__kind="sent")

    note = explanations(run, 1, [made])[made.pk]["note"]

    assert note.endswith("1 score belongs to an earlier answer.")


# ---- primary and margins -------------------------------------------------------------------------------------


def test_any_evaluator_with_scores_can_be_primary(run):
    evaluator = send(run, 1, 0, 1).version.evaluator
    later = factories.evaluator(run.project, "levenshtein_similarity", "later")
    with pytest.raises(Invalid, match="no scores by"):
        experiments.set_primary(run.experiment, later)
    runs.add_scorings(run, [later])

    for chosen in (evaluator, later):
        experiments.set_primary(run.experiment, chosen)
        assert run.experiment.primary == chosen
    experiments.set_margins(run.experiment, {evaluator.pk: 0.1})
