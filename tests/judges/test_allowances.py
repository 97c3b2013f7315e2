"""Judges among the evaluators of a launch or of a new run: they read as soon as there are answers, with named money."""

import pytest

from evaluations.errors import Invalid
from evaluations.experiments import experiments, runs
from evaluations.judges import allowances, asides, estimates, readings
from evaluations.launches import generating
from evaluations.models import Allowance, Judging, Run, Spending, Verdict
from evaluations.prompts.named import Money, budget_of
from evaluations.upkeep import purging

from .conftest import PRICE, embedded_texts, judged_calls, work, work_on

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_judges_of_a_launch_read_its_answers_and_pay_from_its_budget(stub, launched, judge):
    launch = launched(budget=10**15)
    work()
    launch.budget.refresh_from_db()
    [judging] = Judging.objects.all()
    assert (judging.status, judged_calls(stub), Verdict.objects.count()) == ("completed", 3, 3)
    paid = Spending.objects.filter(budget=launch.budget)
    assert sum(spending.cost for spending in paid) == launch.budget.committed == 3 * 121 * 10**6
    [reading] = readings.of(launch.budget)
    assert (reading.status, reading.done, reading.total, reading.cost) == ("completed", 3, 3, 330 * 10**6)


def test_embeddings_of_a_launch_are_paid_from_its_budget_as_judges_are(stub, launched, semantic, judge):
    launch = launched(budget=10**15)
    work_on()
    assert embedded_texts(stub) == ["Oslo", "Paris", "Rome"]
    paid = Spending.objects.filter(budget=launch.budget, model="small")
    assert [spending.cost for spending in paid] == [3 * PRICE]
    shown = {reading.evaluator: reading for reading in readings.of(launch.budget)}
    reading = shown[semantic.evaluator]
    assert (reading.status, reading.done, reading.total, reading.cost) == ("completed", 3, 3, 3 * PRICE)
    assert shown[judge.evaluator].status == "completed"


def test_an_answer_is_bought_with_its_embeddings_and_they_go_on_with_a_higher_limit(
    stub, launched, semantic, judge, experiment
):
    experiment.evaluator_links.filter(evaluator_version=judge).delete()
    launch = launched(max_calls=3)
    [reader] = asides.of_run(Run.objects.get(), launch.budget_id)
    assert reader.of_answer(100, 60).amount >= 100 * PRICE
    work_on()
    assert (embedded_texts(stub), Run.objects.get().status) == ([], "completed")
    [reading] = readings.of(launch.budget)
    assert (reading.status, reading.done) == ("limit", 0)
    allowances.resume(launch, max_calls=9)
    work_on()
    assert embedded_texts(stub) == ["Oslo", "Paris", "Rome"]


@pytest.mark.long
def test_a_launch_is_answered_although_its_primary_evaluator_is_a_judge(launched, judge, experiment):
    experiments.set_primary(experiment, judge.evaluator)
    launched(budget=10**15)
    work()
    run = Run.objects.get()
    assert (run.status, run.output_count) == ("completed", 3)


@pytest.mark.long
def test_a_launch_without_money_asks_no_judge_and_embeds_nothing(stub, launched, semantic):
    launched()
    work()
    assert judged_calls(stub) == 0
    assert embedded_texts(stub) == []
    assert not Judging.objects.exists()
    assert not Allowance.objects.exists()


@pytest.mark.long
def test_a_launch_without_money_has_what_is_named_for_each_run(stub, launched, experiment, judge):
    allowances.set_for_each_run(experiment, Money(max_calls=2))
    launch = launched()
    work_on()
    assert judged_calls(stub) == 2
    [allowance] = Allowance.objects.all()
    assert (allowance.budget.max_calls, allowance.budget == launch.budget) == (2, False)


def test_runs_that_are_added_together_share_what_each_may_spend(launched, experiment, judge):
    """At most what the database can store."""
    allowances.set_for_each_run(experiment, Money(budget=2**62, max_calls=2))
    launched(("v1", "v2"))

    [budget] = {allowance.budget for allowance in Allowance.objects.all()}
    assert (budget.limit, budget.max_calls) == (2**63 - 1, 4)


def test_a_judge_that_cannot_be_limited_refuses_the_launch(launched, judge):
    judge.evaluator.connection.prices.all().delete()
    with pytest.raises(Invalid) as refusal:
        allowances.check(judge.evaluator.project, launched().experiment.dataset, [judge], Money(budget=1))
    assert refusal.value.code == "price_required"


def test_a_judge_that_cannot_be_asked_any_more_leaves_the_run_complete(launched, judge):
    launched(budget=10**15)
    judge.evaluator.connection = None
    judge.evaluator.save()
    judge.evaluator.project.default_connection = None
    judge.evaluator.project.save()
    work()
    [judging] = Judging.objects.all()
    assert (judging.status, judging.error["code"]) == ("failed", "no_connection")
    assert Run.objects.get().status == "completed"


@pytest.mark.long
def test_cancelling_a_launch_stops_its_judges(launched, stub):
    launch = launched(budget=10**15)
    while Run.objects.get().status == "generating":
        generating.work()
    Judging.objects.filter(status="completed").update(status="running")
    allowances.cancel(launch)
    assert Judging.objects.get().status == "cancelled"


def test_a_pair_judge_waits_for_the_baseline(serve, experiment, make_judge, project):
    rubric = [{"content": "{{ first }} or {{ second }}?"}]
    pairs = make_judge(serve(), name="pairs", kind="pair_judge", messages=rubric)
    experiments.add_evaluators(experiment, [pairs.evaluator])
    first, second = (
        runs.create(experiment, None, name, start=False, outputs=_outputs(text))
        for name, text in (("a", "Paris"), ("b", "Rome"))
    )
    allowances.allow([first, second], [pairs], budget_of(project, Money(budget=10**15)))
    runs.begin(second)
    assert not Judging.objects.exists()
    runs.begin(first)
    [judging] = Judging.objects.all()
    assert (judging.run, judging.against) == (second, first)


def _outputs(text):
    return [{"position": position, "output": text} for position in (1, 2, 3)]


def test_an_uploaded_run_is_read_with_the_money_named_for_it(stub, experiment, judge, project):
    run = runs.create(experiment, None, "up", start=False, outputs=_outputs("Paris"))
    allowances.allow([run], [judge], budget_of(project, Money(max_calls=5)))
    runs.begin(run)
    work()
    [judging] = Judging.objects.all()
    assert (judging.status, judging.run) == ("completed", run)


def test_the_estimate_of_a_launch_names_its_judges(experiment, judge):
    [estimate] = estimates.of_plan(experiment.dataset, experiment, [judge], runs=2, size=3)
    assert (estimate.evaluator, estimate.texts) == (judge.evaluator, 6)
    assert estimate.cost
    assert estimate.tokens


def test_money_that_waits_for_a_draft_is_not_purged(experiment, judge, project):
    run = runs.create(experiment, None, "up", start=False, outputs=_outputs("Paris"))
    money = budget_of(project, Money(max_calls=5))
    allowances.allow([run], [judge], money)
    purging.purge_launches()
    assert Allowance.objects.get().budget == money
