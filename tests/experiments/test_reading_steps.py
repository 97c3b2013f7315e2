"""Reading steps that answers need: offered, taken for one experiment, and taken back."""

import pytest

from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, reading_steps
from evaluations.kinds.advised_code import PERHAPS_FENCED
from evaluations.models import Evaluator, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import scoring
from tests import factories

THOUGHT = ("<think>Lyon?</think>Paris", "Rome", "<think>No.</think>Oslo")
FENCED = tuple(f'```json\n{{"city": "{city}"}}\n```' for city in ("Paris", "Lyon", "Oslo"))


def score_all():
    while scoring.work(seconds=10):
        pass


def means(run):
    [shown] = scorings_by_run([run])[run.pk]
    return shown.summary["mean"]


@pytest.fixture
def experiment(project):
    return factories.experiment(project)


def test_a_block_of_reasoning_is_offered_to_be_dropped(experiment):
    run = factories.scored_run(experiment, THOUGHT)

    [offer] = reading_steps.offers(experiment, [run])

    assert (offer.step, offer.answers, offer.seen) == ("reasoning", 2, 3)
    assert [evaluator.name for evaluator in offer.evaluators] == ["exact match"]


def test_plain_answers_are_offered_nothing(experiment):
    assert reading_steps.offers(experiment, [factories.scored_run(experiment)]) == []


def test_code_is_offered_only_if_every_answer_is_fenced(experiment):
    fenced = factories.scored_run(experiment, FENCED, "v1")
    mixed = factories.scored_run(experiment, (*FENCED[:2], "Oslo"), "v2")

    assert [offer.step for offer in reading_steps.offers(experiment, [fenced])] == ["code"]
    assert reading_steps.offers(experiment, [fenced, mixed]) == []


def test_a_step_that_changes_no_score_is_not_offered(project):
    evaluator = factories.evaluator(project, "contains")
    experiment = experiments.create(project, None, "inside", factories.dataset(project), [evaluator])
    run = factories.scored_run(experiment, FENCED)

    assert means(run) > 0
    assert reading_steps.offers(experiment, [run]) == []


def test_a_step_scores_all_runs_and_leaves_other_experiments(project, experiment):
    first = factories.scored_run(experiment, THOUGHT, "v1")
    factories.scored_run(experiment, variant="v2")
    evaluator = Evaluator.objects.get()
    other = experiments.create(project, None, "other", experiment.dataset, [evaluator])

    taken = reading_steps.take(experiment, None, "reasoning")
    score_all()

    assert taken.changes == [{"evaluator": evaluator.pk, "version": 2, "before": 1}]
    assert len(taken.runs) == 2
    assert means(first) == 1.0
    assert [version.number for version in experiments.versions_of(experiment)] == [2]
    assert [version.number for version in experiments.versions_of(other)] == [1]
    assert reading_steps.offers(experiment, [first]) == []


def test_a_step_taken_back_shows_the_scores_before(experiment):
    run = factories.scored_run(experiment, THOUGHT)
    taken = reading_steps.take(experiment, None, "reasoning")
    with pytest.raises(Conflict):
        reading_steps.take_back(experiment, taken.before)
    score_all()

    reading_steps.take_back(experiment, taken.before)

    assert means(run) == pytest.approx(1 / 3)
    assert [version.number for version in experiments.versions_of(experiment)] == [1]
    assert Scoring.objects.count() == 1
    assert reading_steps.take(experiment, None, "reasoning").changes == taken.changes


def test_a_path_into_fenced_json_is_followed_after_the_fence(project):
    experiment = factories.experiment(project)
    evaluator = Evaluator.objects.get()
    evaluators.change(evaluator, None, mapping={"actual": {"path": "$.output.city"}})
    experiments.add_evaluators(experiment, [evaluator])
    run = factories.scored_run(experiment, FENCED)

    reading_steps.take(experiment, None, "json")
    score_all()

    evaluator.refresh_from_db()
    read = ["json", {"step": "path", "path": "$.city"}]
    assert evaluators.newest(evaluator).mapping["actual"] == {"path": "$.output", "read": read}
    assert means(run) == pytest.approx(2 / 3)


def test_fields_of_json_in_a_fence_are_read_unless_the_formula_is_older(project):
    data = factories.dataset(project, [{"city": city} for city in ("Paris", "Rome", "Oslo")])
    new, old = factories.evaluator(project, "json_fields"), factories.evaluator(project, "json_fields", "old")
    evaluators.change(old, None, kind_version=2)
    experiment = experiments.create(project, None, "fields", data, [new, old])
    run = factories.scored_run(experiment, ("Here it is:\n" + FENCED[0], *FENCED[1:]))

    [offer] = reading_steps.offers(experiment, [run])

    scores = {s.evaluator_version.evaluator_id: s.summary["mean"] for s in scorings_by_run([run])[run.pk]}
    assert scores == {new.pk: pytest.approx(2 / 3), old.pk: 0.0}
    assert (offer.step, offer.answers, offer.evaluators) == ("json", 3, [old])


def test_an_evaluator_of_json_reads_the_json(project):
    experiment = factories.experiment(project, "json_match", references=[{"city": "Paris"}, "{}", "{}"])
    run = factories.scored_run(experiment, FENCED)

    assert [offer.step for offer in reading_steps.offers(experiment, [run])] == ["json"]


@pytest.mark.parametrize(
    "step", ["items", PERHAPS_FENCED, {"step": "choice", "labels": ["Paris"], "take": "all"}]
)
def test_an_evaluator_that_reads_out_of_fences_is_offered_no_other_step_for_them(project, step):
    experiment = factories.experiment(project, "exact_match" if step == PERHAPS_FENCED else "json_match")
    evaluator = Evaluator.objects.get()
    evaluators.change(evaluator, None, mapping={"actual": {"path": "$.output", "read": [step]}})
    experiments.add_evaluators(experiment, [evaluator])
    run = factories.scored_run(experiment, FENCED)

    assert reading_steps.offers(experiment, [run]) == []


def test_a_step_that_nobody_lacks_is_refused(experiment):
    factories.scored_run(experiment)
    with pytest.raises(Invalid):
        reading_steps.take(experiment, None, "shorten")
    reading_steps.take(experiment, None, "reasoning")
    with pytest.raises(Conflict):
        reading_steps.take(experiment, None, "reasoning")


def test_only_versions_that_the_experiment_had_are_taken_back(experiment):
    factories.scored_run(experiment)
    with pytest.raises(Invalid):
        reading_steps.take_back(experiment, {Evaluator.objects.get().pk: 2})
    with pytest.raises(NotFound):
        reading_steps.take_back(experiment, {0: 1})
