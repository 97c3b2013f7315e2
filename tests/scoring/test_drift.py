"""Recomputed scores of an old run."""

import pytest
from django.core.management import CommandError, call_command

from evaluations.models import Block
from evaluations.results.shown import scorings_of
from evaluations.scoring import columns, drift
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    return factories.scored_run(experiment, ("Paris", "Lyon", None))


def spoil(run, number, slot, value):
    """Store another value for one example."""
    block = Block.objects.get(scoring=scorings_of(run)[number])
    values = columns.unpack(block.values, block.passed, block.status).values.copy()
    values[slot] = value
    Block.objects.filter(scoring=block.scoring_id).update(values=values.astype("<f8").tobytes())


def test_scores_that_are_as_they_were_do_not_drift(run):
    report = drift.verify(run, scorings_of(run))

    assert [(tally.examples, tally.drifted) for tally in report.tallies] == [(3, 0), (3, 0)]
    assert report.next is None


def test_a_score_that_would_be_another_one_is_named_with_both(run):
    # Lyon and Rome share no letter at the same position: a distance of 4, or 3 as stored here.
    stored = columns.load(scorings_of(run)[1].pk).values[1]
    spoil(run, 1, 1, stored - 1)

    report = drift.verify(run, scorings_of(run))

    [score_drift] = report.drifts
    assert (score_drift.position, score_drift.scoring) == (2, scorings_of(run)[1])
    assert (score_drift.stored["value"], score_drift.computed["value"]) == (stored - 1, stored)
    assert report.tallies[1].largest == 1


def test_a_score_that_would_be_missing_today_has_drifted(run):
    spoil(run, 1, 2, 0.5)

    assert drift.verify(run, scorings_of(run)).drifted == 1


def test_a_rounding_error_is_no_drift(run):
    spoil(run, 0, 0, 1 + 1e-12)

    assert drift.verify(run, scorings_of(run)).drifted == 0


def test_a_call_that_has_no_time_left_says_where_to_go_on(project):
    words = ["Paris"] * (columns.CHUNK + 1)
    run = factories.scored_run(factories.experiment(project, references=words), words)

    first = drift.verify(run, scorings_of(run), seconds=0)
    last = drift.verify(run, scorings_of(run), after=first.next)

    assert (first.next, first.tallies[0].examples) == (columns.CHUNK, columns.CHUNK)
    assert (last.next, last.tallies[0].examples) == (None, 1)


def test_an_example_that_ended_its_worker_is_left_alone(run):
    block = Block.objects.get(scoring=scorings_of(run)[0])
    block.notes["messages"]["1"] = "worker_lost: the worker stopped three times"
    Block.objects.filter(scoring=block.scoring_id).update(notes=block.notes)

    assert drift.verify(run, scorings_of(run)).tallies[0].examples == 2


def test_the_command_ends_with_an_error_where_a_score_differs(run, capsys):
    call_command("verify_run", run.pk)
    spoil(run, 0, 0, 0)

    with pytest.raises(CommandError, match="1 of the scores differ"):
        call_command("verify_run", run.pk)

    assert "exact match" in capsys.readouterr().out
