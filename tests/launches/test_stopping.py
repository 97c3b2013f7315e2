"""Early stopping: looks, stopped variants, and their comparisons."""

import json
from collections.abc import Callable

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.leaderboards import leaderboard
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import connections
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.launches import following, generating, launches, states, stopping
from evaluations.launches.following import Follower
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Chunk, EarlyScores, Experiment, Interim, Job, Launch, Output, Run
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.results import exports
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import coverage, scoring
from tests import factories
from tests.clients.stub import Stub, json_reply

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 300
MARGIN = 0.1


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * SIZE)


@pytest.fixture
def stub():
    """A server that answers with the text before the first colon of the question."""

    def answer(request):
        text = request["messages"][0]["content"].partition(":")[0]
        return json_reply({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    stub = Stub(answer)
    yield stub
    stub.close()


@pytest.fixture
def variant(project, settings, stub) -> Callable[..., Variant]:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    server = connections.create(project, None, "stub", stub.url)

    def make(name: str, answer: str = "Paris") -> Variant:
        content = Content(
            [{"role": "user", "content": answer + ": {{ question }}"}], "tiny", connection=server
        )
        return Variant(prompts.version_of(prompts.create(project, None, name, content)), name)

    return make


@pytest.fixture(autouse=True)
def prompt_looks(monkeypatch):
    """Looks are taken as soon as they are due, without a rest."""
    monkeypatch.setattr(generating, "FOLLOW_EVERY", 0.0)
    monkeypatch.setattr(generating, "LONGEST_PAUSE", 0.0)


def begin(experiment: Experiment, *variants: Variant, margin: float | None = MARGIN, **plan) -> Launch:
    return launches.create(experiment, None, variants, Plan(seed=1, margin=margin, **plan))


def finish() -> None:
    generating.work()
    while scoring.work(seconds=10):
        pass


def status_of(launch: Launch) -> str:
    launch.refresh_from_db()
    return states.of_launch(launch).status


def run_of(name: str) -> Run:
    return Run.objects.get(variant=name)


def answer(run: Run, count: int, text: str | None) -> None:
    """Store answers for the first ranks of a run, without a server."""
    by_rank = Follower(run.generation.launch).by_rank.tolist()
    error = None if text else "cut"
    Output.objects.bulk_create(
        Output(run=run, position=position, text=text, error=error) for position in by_rank[:count]
    )


def compared(*names: str, **options) -> Comparison:
    chosen = [run_of(name) for name in names]
    return Comparison(chosen, chosen[0], scorings_by_run(chosen), **options)


# ---- whole launches ----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_variant_that_is_clearly_better_stops_at_the_first_look(experiment, variant, stub):
    started = begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    [look] = stopping.sequence(started)
    assert (look.run, look.n, look.outcome, look.difference) == (run_of("new"), 50, "better", 1.0)
    assert status_of(started) == "decided"
    assert len(stub.requests) < SIZE
    assert {run.status for run in Run.objects.all()} == {"completed"}


@pytest.mark.long
def test_runs_that_stopped_hold_and_score_the_examples_of_the_look(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    for run in Run.objects.all():
        assert coverage.count(run) == 50
        assert run.scorings.get().summary["counts"]["total"] == 50


@pytest.mark.long
def test_equal_variants_stop_as_equivalent(experiment, variant, stub):
    started = begin(experiment, variant("old"), variant("new"))
    finish()

    assert stopping.sequence(started)[-1].outcome == "equivalent"
    assert len(stub.requests) < 2 * SIZE


@pytest.mark.long
def test_each_variant_stops_by_itself_and_the_baseline_with_the_last(experiment, variant):
    """The variant `same` equals the baseline, and the margin is too small to show that."""
    started = begin(experiment, variant("old", "Rome"), variant("new"), variant("same", "Rome"), margin=0.001)
    finish()

    ends = {look.run.variant: look for look in stopping.sequence(started)}
    assert (ends["new"].n, ends["same"].n, ends["same"].outcome) == (50, SIZE, "cannot_tell")
    assert coverage.count(run_of("new")) == 50
    assert Output.objects.filter(run=run_of("old")).count() == SIZE
    assert status_of(started) == "completed"


def test_a_variant_with_failures_counts_them_as_worst(experiment, variant):
    started = begin(experiment, variant("old"), variant("new"), tolerated=1.0)
    answer(run_of("old"), 50, "Paris")
    answer(run_of("new"), 50, None)

    stopping.catch_up(Follower(started))

    [look] = stopping.sequence(started)
    assert (look.outcome, look.mean, look.baseline_mean) == ("worse", 0.0, 1.0)


def test_repetitions_are_averaged_before_they_are_compared(experiment, variant):
    started = begin(experiment, variant("old"), variant("new"), repetitions=2)
    for run, text in zip(Run.objects.order_by("pk"), ("Paris", "Rome", "Paris", "Paris"), strict=True):
        answer(run, 50, text)

    stopping.catch_up(Follower(started))

    [look] = stopping.sequence(started)
    assert (look.mean, look.baseline_mean) == (0.5, 1.0)


# ---- looks -------------------------------------------------------------------------------------------------


def test_a_look_waits_for_every_rank_before_it(experiment, variant):
    started = begin(experiment, variant("old"), variant("new"))
    answer(run_of("old"), 60, "Rome")
    answer(run_of("new"), 60, "Paris")
    Output.objects.filter(run=run_of("new"), position=Follower(started).by_rank[10]).delete()

    stopping.catch_up(Follower(started))

    assert stopping.sequence(started) == []
    assert len(following.scores_of(run_of("new")).values) == 10


def test_another_worker_continues_after_one_died(experiment, variant):
    started = begin(experiment, variant("old"), variant("new"), margin=0.001)
    for name in ("old", "new"):
        answer(run_of(name), 60, "Rome")
    stopping.catch_up(Follower(started))
    for run in Run.objects.all():
        Output.objects.filter(run=run).delete()
        answer(run, 110, "Rome")

    stopping.sweep()

    assert [look.n for look in stopping.sequence(started)] == [50, 100]


def test_scores_follow_the_answers_of_every_launch(experiment, variant):
    started = begin(experiment, variant("new"), margin=None)
    answer(run_of("new"), 40, "Paris")

    stopping.catch_up(Follower(started))

    assert following.scores_of(run_of("new")).scored.tolist() == [1.0] * 40
    assert not Interim.objects.exists()


def test_a_score_that_another_worker_gave_stays(experiment, variant):
    started = begin(experiment, variant("new"), margin=None)
    answer(run_of("new"), 10, "Paris")
    stopping.catch_up(Follower(started))
    before = list(EarlyScores.objects.values_list("first", "values"))

    stopping.catch_up(Follower(started))

    assert list(EarlyScores.objects.values_list("first", "values")) == before


def test_variants_are_asked_in_step(experiment, variant):
    begin(experiment, variant("old"), variant("new"))

    claimed = [queue.claim_chunk(Job.GENERATE) for _ in range(5)]

    assert [chunk and chunk.first for chunk in claimed] == [1, 1, 51, 51, None]
    assert Chunk.objects.filter(state="ready").exists()


# ---- refusals and continuing ---------------------------------------------------------------------------------


def test_an_evaluator_without_bounds_cannot_stop_a_launch(project, variant):
    unbounded = factories.experiment(project, "levenshtein_distance", references=["Paris"] * 60)

    with pytest.raises(Invalid) as refusal:
        begin(unbounded, variant("old"), variant("new"))

    assert (refusal.value.code, list(refusal.value.fields)) == ("invalid_launch", ["stop"])
    assert not Launch.objects.exists()


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_a_margin_lies_within_the_range_of_the_evaluator(experiment, variant, margin):
    with pytest.raises(Invalid):
        begin(experiment, variant("old"), variant("new"), margin=margin)


def test_a_single_variant_has_nothing_to_stop_by(experiment, variant):
    with pytest.raises(Invalid):
        begin(experiment, variant("new"))


@pytest.mark.long
def test_a_launch_that_is_decided_cannot_be_continued(experiment, variant):
    started = begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    with pytest.raises(Conflict):
        launches.resume(started)


@pytest.mark.long
def test_failures_of_a_stopped_run_are_asked_again_within_its_examples(experiment, variant):
    started = begin(experiment, variant("old", "Rome"), variant("new"), tolerated=1.0)
    finish()
    run = run_of("new")
    position = int(Follower(started).by_rank[3])
    Output.objects.filter(run=run, position=position).update(text=None, error="cut")

    launches.retry(run)
    finish()

    run.refresh_from_db()
    assert (run.status, coverage.count(run)) == ("completed", 50)
    assert Output.objects.get(run=run, position=position).text == "Paris"
    assert status_of(started) == "decided"
    assert stopping.sequence(started)[-1].mean == 1.0


@pytest.mark.long
def test_a_run_that_stopped_early_says_so_in_its_exports(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    lines = b"".join(exports.of_run(run_of("new"), "jsonl")).splitlines()

    assert json.loads(lines[0])["about"].endswith(f"stopped early at 50 of {SIZE} examples")


# ---- comparisons -------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_comparison_takes_the_verdict_from_the_looks(experiment, variant):
    started = begin(experiment, variant("old", "Rome"), variant("new"))
    finish()
    [look] = stopping.sequence(started)

    [entry] = compared("old", "new").figures.entries

    assert entry.paired.interval == (look.low, look.high)
    assert (entry.paired.verdict, entry.paired.n, entry.paired.p) == ("better", 50, None)


@pytest.mark.long
def test_a_comparison_seen_from_the_other_side_is_mirrored(experiment, variant):
    started = begin(experiment, variant("old", "Rome"), variant("new"))
    finish()
    [look] = stopping.sequence(started)

    [entry] = compared("new", "old").figures.entries

    assert entry.paired.interval == (-look.high, -look.low)
    assert entry.paired.verdict == "worse"


@pytest.mark.long
def test_a_comparison_names_variants_that_stopped_early(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    comparison = compared("old", "new")

    assert "stopped_early" in [warning["code"] for warning in comparison.warnings]
    assert "new stopped at 50 of 300 examples" in comparison.sentence.text


@pytest.mark.long
def test_a_comparison_across_launches_warns_that_it_ignores_the_stop(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()
    factories.scored_run(experiment, ["Paris"] * SIZE, variant="uploaded")

    comparison = compared("uploaded", "new")

    assert comparison.figures.entries[0].paired.method != "group_sequential"
    assert "new ran on 50 of 300 examples before its launch stopped early" in comparison.sentence.text


@pytest.mark.long
def test_a_gate_names_variants_that_stopped_early(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()
    plan = gates.Plan(
        criteria=[{"rule": "better", "evaluator": experiment.primary_id}], baseline=run_of("old")
    )

    check = gates.check(gates.create(experiment.project, None, "gate", plan), run_of("new"))

    assert check.verdict == "pass"
    assert "new stopped at 50 of 300 examples" in check.sentence


@pytest.mark.long
def test_a_leaderboard_marks_runs_that_stopped_early(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    board = leaderboard(trends.trend(experiment.dataset))

    assert {run.reason for run in board.unranked} == {"stopped early, at 50 of 300 examples"}
    assert {point.stopped_early_of for point in board.trend.points} == {SIZE}


@pytest.mark.long
def test_secondary_evaluators_are_compared_as_always(experiment, variant):
    experiments.add_evaluators(experiment, [factories.evaluator(experiment.project, "contains")])
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    primary, secondary = compared("old", "new").figures.entries

    assert primary.paired.method == "group_sequential"
    assert secondary.paired.method != "group_sequential"


@pytest.mark.long
def test_without_unanswered_examples_as_worst_there_is_no_verdict(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    finish()

    comparison = compared("old", "new", missing="exclude")

    [entry] = comparison.figures.entries
    assert (entry.paired.verdict, entry.paired.interval) == (None, None)
    assert comparison.sentence.text.startswith("No verdict on")
    assert comparison.figures.ranking == []


@pytest.mark.long
def test_unanswered_examples_add_no_second_ranking_to_the_looks(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"))
    answer(run_of("old"), 1, None)
    finish()

    comparison = compared("old", "new")

    assert comparison.figures.has_unanswered
    assert not comparison.figures.depends_on_missing


@pytest.mark.long
def test_a_launch_that_asks_everything_is_compared_as_always(experiment, variant):
    begin(experiment, variant("old", "Rome"), variant("new"), margin=None)
    finish()

    comparison = compared("old", "new")

    assert comparison.figures.entries[0].paired.method != "group_sequential"
    assert comparison.sentence.stopped == []
