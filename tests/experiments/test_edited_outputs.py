"""Outputs follow their edited examples when an experiment moves to a newer dataset version."""

from datetime import timedelta

import pytest

from evaluations import leases, owned
from evaluations.datasets import datasets
from evaluations.errors import Conflict
from evaluations.experiments import edited_outputs, experiments, runs
from evaluations.launches import states
from evaluations.models import Answer, Output, OutputCopy, PromptVersion, Run
from evaluations.results.shown import scorings_of
from evaluations.scoring import coverage, jobs, scoring
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project) -> Run:
    """A run with the outputs Paris, Lyon and Oslo; only the reference of Lyon, Rome, differs."""
    return factories.scored_run(factories.experiment(project))


def move(run: Run) -> dict[str, int]:
    """Move the run's experiment to the newest version; returns how many examples ended how."""
    run.experiment.refresh_from_db()
    experiments.use_dataset_version(run.experiment)
    factories.copy_outputs()
    while scoring.work(seconds=5):
        pass
    counts = scorings_of(run)[0].summary["counts"]
    return {status: count for status, count in counts.items() if count and status != "total"}


def edit(run: Run, position: int, **parts: object) -> None:
    datasets.edit(run.experiment.dataset, None, position, parts)


def test_an_output_is_scored_against_the_corrected_reference(run):
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    assert scorings_of(run)[0].summary["mean"] == 1.0


def test_an_output_follows_several_edits(run):
    edit(run, 2, reference={"answer": "Nice"})
    edit(run, 4, reference={"answer": "Lyon"})

    move(run)

    assert scorings_of(run)[0].summary["mean"] == 1.0


def test_an_example_with_another_question_was_not_asked(run):
    edit(run, 2, inputs={"question": "Where is the Rhône?"})

    assert move(run) == {"scored": 2}


def test_an_upload_keeps_its_output_when_metadata_change(run):
    edit(run, 2, metadata={"topic": "rivers"})

    assert move(run) == {"scored": 3}


def test_an_answer_of_a_prompt_ends_with_the_metadata(run):
    """The prompt may have sent them."""
    prompt = factories.prompt(run.experiment.project)
    Run.objects.update(prompt_version=PromptVersion.objects.get(prompt=prompt))
    edit(run, 2, metadata={"topic": "rivers"})

    assert move(run) == {"scored": 2}


def test_a_run_of_a_split_keeps_its_edited_examples(project):
    experiment = factories.experiment(project)
    split = factories.split(experiment.dataset, ("k1", "k2"))
    run = factories.run(experiment, ("Paris", "Lyon"), split=split)
    while scoring.work(seconds=5):
        pass
    edit(run, 2, reference={"answer": "Lyon"})

    assert move(run) == {"scored": 2}
    run.refresh_from_db()
    assert coverage.count(run) == 2


def test_every_field_of_an_output_follows(run):
    stored = Output.objects.filter(run=run)
    stored.filter(position=2).update(
        text='{"city": "Lyon"}', is_json=True, latency_ms=7, tokens=9, scores={"mqm": 3}
    )
    fields = ("text", "is_json", "error", "latency_ms", "tokens", "scores")
    before = stored.values(*fields).get(position=2)
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    assert stored.values(*fields).get(position=4) == before


def test_a_failed_answer_of_an_edited_example_is_counted_once(run):
    """Otherwise a retry would pay for it twice."""
    Output.objects.filter(run=run, position=2).update(text=None, error="timeout: too slow")
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    assert states.failures([run])[run.pk] == {"timeout": 1}


def test_the_cost_of_an_answer_follows(run):
    Answer.objects.create(run=run, position=2, cost=5)
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    assert list(Answer.objects.filter(run=run).values_list("position", "cost")) == [(4, 5)]


def test_outputs_stay_single(run):
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    assert list(Output.objects.filter(run=run).values_list("position", flat=True)) == [1, 3, 4]


def test_a_run_restored_after_the_move_has_no_scores_of_the_earlier_version(run):
    runs.delete(run)
    edit(run, 2, reference={"answer": "Lyon"})
    run.experiment.refresh_from_db()
    experiments.use_dataset_version(run.experiment)
    factories.copy_outputs()

    restored = owned.restore(Run.objects.get())
    assert (restored.status, scorings_of(restored)[0].summary) == ("cancelled", None)

    jobs.resume(restored)
    while scoring.work(seconds=5):
        pass
    assert scorings_of(restored)[0].summary["mean"] == 1.0


def test_outputs_that_follow_make_a_new_revision(run):
    """Digests and caches of a run's outputs depend on it."""
    edit(run, 2, reference={"answer": "Lyon"})

    move(run)

    run.refresh_from_db()
    assert run.revision == 1


# ---- copied by a worker -------------------------------------------------------------------------------------


@pytest.fixture
def moved(run) -> Run:
    """A run whose experiment has moved; the output of one edited example waits to be copied."""
    edit(run, 2, reference={"answer": "Lyon"})
    run.experiment.refresh_from_db()
    experiments.use_dataset_version(run.experiment)
    return run


def test_the_request_copies_nothing(moved):
    assert not Output.objects.filter(run=moved, position=4).exists()


def test_scoring_waits_for_the_copies(moved):
    scoring.work(seconds=5)

    assert scorings_of(moved)[0].summary is None


def test_scoring_begins_after_the_copies(moved):
    factories.copy_outputs()
    scoring.work(seconds=5)

    assert scorings_of(moved)[0].summary["mean"] == 1.0


def test_a_second_worker_copies_nothing_again(moved):
    copying = OutputCopy.objects.get()
    factories.copy_outputs()

    edited_outputs.work(copying.pk)

    moved.refresh_from_db()
    assert moved.revision == 1


def test_an_experiment_does_not_move_while_a_file_of_outputs_is_read(run):
    """Outputs of edited examples would be stored at their old positions."""
    draft = factories.run(run.experiment, (), start=False)
    upload = factories.parked(run.project, factories.jsonl({"id": "k2", "output": "Nice"}))
    factories.begin_outputs(upload, draft, {"key": "id", "output": "output"}, start=True)
    edit(run, 2, reference={"answer": "Lyon"})

    with pytest.raises(Conflict, match="being read"):
        experiments.use_dataset_version(run.experiment)


def test_an_experiment_does_not_move_while_outputs_are_copied(moved):
    runs.cancel(moved)
    datasets.remove(moved.experiment.dataset, None, 1)

    with pytest.raises(Conflict, match="being copied"):
        experiments.use_dataset_version(moved.experiment)


def test_a_newer_output_of_a_draft_is_not_replaced(run):
    draft = factories.run(run.experiment, start=False)
    edit(run, 2, reference={"answer": "Lyon"})
    run.experiment.refresh_from_db()
    experiments.use_dataset_version(run.experiment)
    runs.add_outputs(draft, [{"position": 4, "output": "Nice"}])

    factories.copy_outputs()

    assert Output.objects.get(run=draft, position=4).text == "Nice"


def test_a_batch_that_kills_workers_is_left_out(moved):
    lease_ended = {"state": "leased", "attempt": 3, "lease_until": leases.now() - timedelta(seconds=1)}
    OutputCopy.objects.update(**lease_ended)

    edited_outputs.sweep()
    factories.copy_outputs()
    scoring.work(seconds=5)

    assert scorings_of(moved)[0].summary["counts"]["missing_actual"] == 1
