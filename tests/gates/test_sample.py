"""What the sample teaches: days, prompts, a subset that reverses, an evaluator that misleads, an inconclusive gate."""

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.experiments import experiments
from evaluations.gates import sample as gate_sample
from evaluations.judges import sample
from evaluations.models import CountedComparison, Experiment, Gate, Prompt, Run
from evaluations.scoring import scoring
from evaluations.statistics.wording import text
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(project, alice) -> Experiment:
    experiment = sample.load(project, alice)
    gate_sample.complete()  # too early: nothing is scored yet
    while scoring.work(seconds=10):
        pass
    gate_sample.complete()
    gate_sample.complete()
    return experiment


def compared(question: str) -> Comparison:
    experiment = Experiment.objects.get(name__startswith=question)
    runs = experiments.shown_runs(experiment)
    return Comparison(runs, runs[0])


@pytest.mark.long
def test_the_sample_has_three_days_two_prompts_and_what_to_learn_from(loaded, project):
    days = {run.created_at.date() for run in Run.objects.filter(experiment__dataset=loaded.dataset)}
    assert len(days) == 3
    runs = [(run.created_at, run.started_at, run.finished_at) for run in Run.objects.all()]
    assert runs == [(*sorted(times),) for times in runs], "each is made, started and ended in this order"
    assert [prompt.version for prompt in Prompt.objects.order_by("pk")] == [2, 1]
    assert {run.prompt_version.prompt.name for run in loaded.runs.all()} == set(
        Prompt.objects.values_list("name", flat=True)
    )
    by_day = CountedComparison.objects.order_by("created_at").values_list("run__variant", flat=True)
    assert [*by_day][:2] == ["polite opening", "product rules"]
    polite = compared("Does a polite opening help")
    assert "is worse than current prompt on Levenshtein similarity" in polite.sentence.text
    assert "Levenshtein similarity counts that, whatever they say" in text(polite.sentence.form)
    [gate] = Gate.objects.all()
    assert [check.verdict for check in gate.checks.order_by("pk")] == ["pass", "inconclusive"]


@pytest.mark.long
def test_a_subset_of_the_sample_reverses(loaded):
    told = compared("Do rules about the product help").sentence.text

    assert "product rules is better than current prompt on Levenshtein similarity" in told
    assert ", but worse on money" in told


@pytest.mark.long
def test_a_sample_that_is_loaded_again_has_a_gate_of_its_own(loaded, project, alice):
    """Else its name would be taken, and the sweep would fail on it for an hour."""
    sample.remove(project)
    again = sample.load(project, alice)
    while scoring.work(seconds=10):
        pass
    gate_sample.complete()

    [gate] = Gate.objects.live()
    assert gate.dataset == again.dataset


@pytest.mark.long
def test_a_gate_that_has_the_name_of_the_samples_stays(loaded, project):
    [gate] = Gate.objects.all()
    gate.dataset = factories.dataset(project)
    gate.save()
    gate_sample.complete()

    assert list(Gate.objects.all()) == [gate]
