"""Causes of missing scores, from stored scores."""

import numpy as np
import pytest

from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.kinds.advised import LIST_F1
from evaluations.kinds.scores import Scores
from evaluations.models import Experiment
from evaluations.scoring import causes, columns, coverage
from evaluations.scoring.causes import Cause
from evaluations.values import Status
from tests import factories

pytestmark = pytest.mark.django_db
LONG = "x" * 100_001


def causes_of(
    project, outputs: list, references: list, kind: str = "levenshtein_distance", **mapping
) -> list[Cause]:
    """The causes after real scoring; `mapping` are paths by parameter."""
    dataset = factories.dataset(project, references, name=f"data {Experiment.objects.count()}")
    paths = {name: {"path": path} for name, path in mapping.items()}
    evaluator = evaluators.create(project, None, f"by {dataset.name}", kind, {}, paths)
    run = factories.scored_run(
        experiments.create(project, None, f"of {dataset.name}", dataset, [evaluator]), outputs
    )
    scoring = run.scorings.get()
    positions, recipe = coverage.positions(run), Recipe.from_version(scoring.evaluator_version)
    slots = columns.load_many([scoring.pk], positions)[scoring.pk]
    failed = causes.failed_outputs({run.pk: positions}).get(run.pk)
    return [Cause(cause) for cause in causes.classify(scoring, recipe, slots, failed, positions).tolist()]


def test_no_output_is_the_variants_fault_and_no_reference_the_datasets(project):
    causes_found = causes_of(project, ["a", None, "c", None], ["a", "b", None, None])

    assert causes_found == [Cause.SCORED, Cause.VARIANT, Cause.DATASET, Cause.DATASET]


def test_a_stored_zero_hides_no_missing_side(project):
    # exact match stores 0 for both
    causes_found = causes_of(project, ["a", None, "c"], ["a", "b", None], "exact_match")

    assert causes_found == [Cause.SCORED, Cause.VARIANT, Cause.DATASET]


@pytest.mark.parametrize("step", [{"step": "choice", "labels": ["a", "b"], "take": "all"}, "items"])
def test_an_empty_list_is_an_answer_and_right_where_the_reference_is_one(project, step):
    read = {"read": [step]}
    mapping = {"actual": {"path": "$.output"} | read, "expected": {"path": "$.reference.answer"} | read}
    evaluator = evaluators.create(project, None, "lists", "json_fields", LIST_F1, mapping)
    dataset = factories.dataset(project, [["a"], [], "[]", []])
    run = factories.scored_run(
        experiments.create(project, None, "of lists", dataset, [evaluator]), [[], "[]", [], ["a"]]
    )

    slots = columns.load(run.scorings.get().pk)

    assert slots.status.tolist() == [Status.SCORED] * 4
    assert slots.values.tolist() == [0, 1, 1, 0]


def test_a_path_without_a_match_is_the_fault_of_the_side_it_leads_into(project):
    outputs = [{"text": "a"}, {"other": "b"}, "no JSON", {"text": "d"}]
    references = ["a", "b", "c", {"deep": "d"}]

    by_output = causes_of(project, outputs, references, actual="$.output.text")
    by_both = causes_of(
        project, outputs, references, actual="$.output.text", expected="$.reference.answer.deep"
    )

    assert by_output == [Cause.SCORED, Cause.VARIANT, Cause.VARIANT, Cause.SCORED]
    assert by_both[3] == Cause.SCORED
    assert by_both[0] == Cause.DATASET


def test_a_text_that_is_too_long_is_the_fault_of_its_side(project):
    causes_found = causes_of(project, [LONG, "b"], ["a", LONG])

    assert causes_found == [Cause.VARIANT, Cause.DATASET]


def test_an_output_that_is_no_json_is_the_variants_fault(project):
    causes_found = causes_of(project, ["{", "{}"], ["{}", "{"], "json_distance")

    assert causes_found == [Cause.VARIANT, Cause.DATASET]


def test_a_word_where_the_output_should_hold_a_score_is_the_variants_fault(project):
    outputs = [{"score": 0.5}, {"score": "unsure"}, {"score": 2e12}]

    assert causes_of(project, outputs, ["a", "b", "c"], "value", actual="$.output.score") == [
        Cause.SCORED,
        Cause.VARIANT,
        Cause.VARIANT,
    ]


def test_a_failure_of_neither_side_is_the_evaluators_fault(project):
    recipe = Recipe.from_version(evaluators.newest(factories.evaluator(project, "levenshtein_distance")))
    scores = Scores.empty(2, Status.ERROR)
    scores.messages = {0: "pattern_limit: It took too long.", 1: "too_long: The actual text is too long."}

    causes_here = causes.of_scores(recipe, scores, ["short", LONG], np.zeros(2, np.bool_))

    assert causes_here.tolist() == [Cause.EVALUATOR, Cause.VARIANT]
