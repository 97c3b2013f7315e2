"""Columns of formulas: computed from the columns that they read, and again whenever one of these changes."""

import numpy as np
import pytest

from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs, sent_scores
from evaluations.models import Evaluator, Job, Output, Run, Scoring
from evaluations.results.rows import explanations
from evaluations.scoring import columns, drift, jobs, scoring
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db

SUM = "0.75 * exact_match + 0.25 * levenshtein_similarity"


def work():
    while scoring.work(seconds=10):
        pass


def scoring_of(run: Run, evaluator: Evaluator) -> Scoring:
    return run.scorings.filter(evaluator_version__evaluator=evaluator).order_by("pk").last()


def column(run: Run, evaluator: Evaluator) -> list:
    """Numbers, or the status where there is none."""
    slots = columns.load(scoring_of(run, evaluator).pk)
    return [
        round(float(value), 4) if not np.isnan(value) else Status(status)
        for value, status in zip(slots.values, slots.status, strict=True)
    ]


@pytest.fixture
def run(project) -> Run:
    return factories.scored_run(
        factories.experiment(project, "exact_match", "levenshtein_similarity"), ("Paris", None, "Osla")
    )


def added(run: Run, expression: str, name: str = "quality", **config) -> Evaluator:
    evaluator = factories.evaluator(run.project, "formula", name, expression=expression, **config)
    experiments.add_evaluators(run.experiment, [evaluator])
    work()
    run.refresh_from_db()
    return evaluator


def send(run: Run, *values: float | None):
    scores = [{"position": n, "value": value} for n, value in enumerate(values, 1) if value is not None]
    return sent_scores.send(run, None, "helpful", {}, scores)


def test_a_formula_is_computed_from_the_columns_of_its_evaluators(run):
    quality = added(run, SUM, threshold=0.5)

    assert run.status == Run.Status.COMPLETED
    assert column(run, quality) == [1.0, Status.MISSING_ACTUAL, 0.1875]
    summary = scoring_of(run, quality).summary
    assert (summary["n"], summary["mean"], summary["n_passed"]) == (2, pytest.approx(0.59375), 1)


def test_a_new_run_gets_its_formula_with_its_scores_and_what_it_reads(run):
    quality = factories.evaluator(run.project, "formula", "quality", expression=SUM)
    other = experiments.create(run.project, None, "only the formula", run.experiment.dataset, [quality])
    second = factories.scored_run(other)

    assert column(second, quality) == [1.0, 0.0, 1.0]
    assert second.scorings.count() == 3


def test_what_every_output_has_counts_too(run):
    Output.objects.filter(run=run, position=3).update(latency_ms=1500)
    quality = added(run, "length")
    speed = added(run, "latency_ms / 1000", "speed", direction="minimize")

    assert column(run, quality) == [5.0, Status.MISSING_ACTUAL, 4.0]
    assert column(run, speed) == [Status.NOT_SENT, Status.MISSING_ACTUAL, 1.5]


def test_scores_that_are_sent_later_change_the_formula_at_once(run):
    send(run, 0.5)
    quality = added(run, "helpful + exact_match")
    before = scoring_of(run, quality).stamp
    assert column(run, quality) == [1.5, Status.MISSING_ACTUAL, Status.NOT_SENT]

    send(run, None, None, 0.25)

    assert column(run, quality) == [1.5, Status.MISSING_ACTUAL, 0.25]
    assert scoring_of(run, quality).stamp != before
    assert scoring_of(run, quality).summary["n"] == 2


def test_removed_scores_leave_the_formula_without_a_number(run):
    send(run, 0.5, None, 0.5)
    quality = added(run, "helpful + exact_match")

    sent_scores.remove(run, Evaluator.objects.get(name="helpful"))

    assert column(run, quality) == [Status.NOT_SENT, Status.MISSING_ACTUAL, Status.NOT_SENT]


def test_scoring_again_computes_the_formula_again(run):
    quality = added(run, SUM)
    Output.objects.filter(run=run, position=3).update(text="Oslo")

    jobs.score_again(run)
    work()

    assert column(run, quality) == [1.0, Status.MISSING_ACTUAL, 1.0]


def test_a_formula_waits_for_a_source_that_is_still_being_computed(run):
    quality = added(run, SUM)
    exact = Evaluator.objects.get(name="exact match")
    other_job = Job.objects.create(run=run, project=run.project, total=3)
    source = run.scorings.get(evaluator_version__evaluator=exact)
    Scoring.objects.filter(pk=source.pk).update(job=other_job)
    Scoring.objects.filter(pk=scoring_of(run, quality).pk).update(summary=None)

    scoring.formulas.refresh(run, [source.evaluator_version_id])
    assert scoring_of(run, quality).summary is None

    Job.objects.filter(pk=other_job.pk).update(state=Job.State.DONE)
    scoring.formulas.refresh(run, [source.evaluator_version_id])
    assert scoring_of(run, quality).summary["n"] == 2


def test_a_retry_of_a_formula_retries_what_it_reads(run):
    number = factories.evaluator(run.project, "value", "grade")
    experiments.add_evaluators(run.experiment, [number])
    work()
    quality = added(run, "grade + exact_match")
    assert column(run, quality) == [Status.ERROR, Status.MISSING_ACTUAL, Status.ERROR]
    message = columns.stretch([scoring_of(run, quality).pk], 1)[scoring_of(run, quality).pk][1][0]
    assert message.startswith("source_error: grade: not_a_number:")

    Output.objects.filter(run=run, position=1).update(text="0.5")
    runs.retry_errors(run, [quality])
    work()

    assert column(run, quality)[0] == 1.5  # exact match was not asked again


def test_a_formula_reads_the_versions_that_it_was_saved_with(run):
    quality = added(run, SUM)
    exact = Evaluator.objects.get(name="exact match")
    evaluators.change(exact, None, config={"case_sensitive": False, "strip": "none"})

    newest = evaluators.newest(quality)
    assert newest.config["sources"]["exact_match"]["version"] == 1
    assert any("exact match has version 2" in warning for warning in evaluators.warnings(newest))

    evaluators.change(quality, None, name="better quality")
    quality.refresh_from_db()
    assert quality.version == 1

    evaluators.change(quality, None, config={"expression": SUM})
    saved = evaluators.newest(Evaluator.objects.get(pk=quality.pk))
    assert (saved.number, saved.config["sources"]["exact_match"]["version"]) == (2, 2)


def test_a_formula_that_reads_a_formula_is_refused(run):
    quality = added(run, SUM)

    with pytest.raises(Invalid, match="reads no other"):
        factories.evaluator(
            run.project, "formula", "circle", expression="q + 1", evaluators={"q": quality.pk}
        )
    with pytest.raises(Invalid, match="stands for no evaluator"):
        factories.evaluator(run.project, "formula", "circle", expression="quality + 1")
    with pytest.raises(Invalid, match="stands for no evaluator"):
        evaluators.change(quality, None, config={"expression": "quality + 1"})


def test_a_statistic_of_a_run_is_no_score_of_an_output(run):
    factories.evaluator(run.project, "label", "kind", headline="macro_f1")

    with pytest.raises(Invalid, match="compares runs by a statistic"):
        factories.evaluator(run.project, "formula", "sum", expression="kind + 1")


def test_an_evaluator_that_a_formula_reads_is_not_deleted(run):
    quality = added(run, SUM)
    exact = Evaluator.objects.get(name="exact match")

    with pytest.raises(Conflict, match="The formula quality reads"):
        evaluators.delete(exact)

    evaluators.delete(quality)
    evaluators.delete(exact)


def test_the_bounds_of_a_formula_follow_from_those_of_its_scores(run):
    quality = factories.evaluator(
        run.project, "formula", "q", expression="exact_match - levenshtein_similarity"
    )
    recipe = scoring.Recipe.from_version(evaluators.newest(quality))
    assert recipe.bounds == (-1.0, 1.0)


def test_the_explanation_shows_the_numbers(run):
    quality = added(run, SUM, threshold=0.5)
    of_formula = scoring_of(run, quality)

    first = explanations(run, 3, [of_formula])[of_formula.pk]
    second = explanations(run, 2, [of_formula])[of_formula.pk]

    assert first["formula"] == "0.75 × 0 + 0.25 × 0.75 = 0.1875, below 0.5"
    assert second["formula"] == "0.75 × missing + 0.25 × missing"


def test_verifying_a_formula_finds_an_altered_score(run):
    quality = added(run, SUM)
    of_formula = scoring_of(run, quality)
    assert drift.verify(run, [of_formula]).drifted == 0

    source = run.scorings.get(evaluator_version__evaluator__name="exact match")
    block = source.blocks.get()
    altered = np.frombuffer(bytes(block.values), "<f8").copy()
    altered[0] = 0.5
    source.blocks.update(values=altered.tobytes())

    assert drift.verify(run, [of_formula]).drifted == 1
