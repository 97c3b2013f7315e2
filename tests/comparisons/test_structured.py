"""Warnings about lists and objects that text evaluators compare as JSON text."""

import json
import tracemalloc

import pytest

from evaluations.comparisons import structured
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Dataset, Output
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
ANSWERS = ("Paris", "Rome", "Oslo")


def sentences(project, references, outputs, mapping=None, kind="exact_match") -> list[str]:
    evaluator = evaluators.create(project, None, "mine", kind, {}, mapping or {})
    dataset = factories.dataset(project, references)
    experiment = experiments.create(project, None, "capitals", dataset, [evaluator])
    run = factories.scored_run(experiment, outputs, "terse")
    warnings = Comparison([run], run).warnings
    return [warning["message"] for warning in warnings if warning["code"] == "structured_values"]


def message(text):
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]


@pytest.mark.parametrize(
    ("wrap", "noun", "path"),
    [
        (lambda text: [text, text.upper()], "lists", "$.expected[0]"),
        (lambda text: {"start": [1], "text": text}, "objects", "$.expected.text"),
        (message, "lists of messages", "$.expected[-1].content"),
    ],
)
def test_references_with_structure_are_named_with_a_path_that_helps(project, wrap, noun, path):
    references = [wrap(answer) for answer in ANSWERS]

    [sentence] = sentences(project, references, ANSWERS)

    assert sentence.startswith(f"References are {noun}, and mine compares their JSON text")
    assert path in sentence


def test_the_path_of_the_warning_compares_texts(project):
    outputs = [message(answer) for answer in ANSWERS]

    [sentence] = sentences(project, ANSWERS, outputs)

    assert sentence.startswith("Outputs of terse are lists of messages, and mine compares")
    assert "$.actual[-1].content" in sentence
    evaluator = evaluators.create(
        project, None, "last", "exact_match", {}, {"actual": {"path": "$.actual[-1].content"}}
    )
    experiment = experiments.create(project, None, "again", Dataset.objects.get(), [evaluator])
    run = factories.scored_run(experiment, outputs)
    assert [warning["code"] for warning in Comparison([run], run).warnings] == []
    assert run.scorings.get().summary["mean"] == 1


@pytest.mark.parametrize(
    ("references", "kind", "mapping"),
    [
        (ANSWERS, "exact_match", {}),
        ([["Paris"], "Rome", "Oslo"], "exact_match", {}),
        ([["Paris"], ["Rome"], ["Oslo"]], "json_match", {}),
        ([["Paris"], ["Rome"], ["Oslo"]], "exact_match", {"expected": {"path": "$.expected[0]"}}),
        ([["Paris"], ["Rome"], ["Oslo"]], "chrf", {"many": "references"}),
        ([["Paris"], ["Rome"], ["Oslo"]], "contains", {"expected": {"path": "$.expected", "many": "any"}}),
    ],
)
def test_texts_and_chosen_values_are_not_warned_about(project, references, kind, mapping):
    assert sentences(project, references, ANSWERS, mapping, kind) == []


def test_a_phrase_is_found_in_a_list_of_passages(project):
    outputs = [[{"text": answer}] for answer in ANSWERS]

    assert sentences(project, ANSWERS, outputs, kind="contains") == []


def test_large_outputs_are_not_all_read(project):
    """Twenty examples of twenty variants may have 400 MB."""
    experiment = columns.experiment(project, 20, ["exact_match"])
    runs = [columns.run(experiment, name, [[1.0] * 20]) for name in ("old", "new")]
    numbers = json.dumps([1] * 100_000)
    for run in runs:
        Output.objects.bulk_create(
            Output(run=run, position=position, text=numbers, is_json=True) for position in range(1, 21)
        )
    comparison = Comparison(runs, runs[0])
    versions = experiments.versions_of(experiment)

    tracemalloc.start()
    [sentence] = structured.warnings(comparison, versions)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert sentence.startswith("Outputs of old and new are lists")
    assert peak < 5_000_000
