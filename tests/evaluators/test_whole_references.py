"""Text evaluators on several reference columns: the warning, and that its advice helps."""

import re

import pytest

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators, whole_references
from evaluations.experiments import experiments
from evaluations.models import Dataset
from tests import factories

pytestmark = pytest.mark.django_db
ANSWERS = ("Paris", "Rome", "Oslo")


@pytest.fixture
def capitals(project) -> Dataset:
    """With an answer and where it comes from."""
    rows = [
        {"inputs": {"q": answer}, "reference": {"answer": answer, "source": "an atlas"}} for answer in ANSWERS
    ]
    return datasets.create(project, None, "capitals", rows)


def version(project, kind: str, mapping: dict | None = None, config: dict | None = None):
    return evaluators.newest(evaluators.create(project, None, kind, kind, config or {}, mapping or {}))


@pytest.mark.parametrize(
    ("kind", "mapping", "is_whole"),
    [
        ("exact_match", {}, True),
        ("exact_match", {"expected": {"path": "$.expected"}}, True),
        ("exact_match", {"expected": {"path": "$.reference"}}, True),
        ("exact_match", {"expected": {"path": "$.expected.answer"}}, False),
        ("exact_match", {"expected": {"path": "$.reference.answer"}}, False),
        ("exact_match", {"expected": {"path": "$.metadata.answer"}}, False),
        ("exact_match", {"expected": {"literal": "Paris"}}, False),
        ("json_match", {}, False),
        ("value", {"actual": {"path": "$.scores.COMET"}}, False),
    ],
)
def test_a_text_evaluator_without_a_path_to_one_column_reads_them_all(project, kind, mapping, is_whole):
    assert whole_references.reads_whole(version(project, kind, mapping)) == is_whole


def test_one_reference_column_needs_no_path(project):
    assert whole_references.warnings([version(project, "exact_match")], ["answer"]) == []


def test_the_warning_names_the_evaluators_the_columns_and_a_path(project):
    versions = [version(project, "exact_match"), version(project, "rouge_l"), version(project, "json_match")]

    [sentence] = whole_references.warnings(versions, ["right answer", "source"])

    assert sentence.startswith("exact_match and rouge_l compare")
    assert "right answer and source" in sentence
    assert "$.expected['right answer']" in sentence
    assert "json_match" not in sentence


def test_of_many_columns_some_are_named():
    [warning] = whole_references.about_columns([f"r{number}" for number in range(1, 9)])

    assert "8 reference columns" in warning["message"]
    assert "r5 and 3 more" in warning["message"]


def test_the_advised_path_ends_the_warning(project, capitals):
    evaluator = factories.evaluator(project, "exact_match")
    experiment = experiments.create(project, None, "which", capitals, [evaluator])
    before = factories.scored_run(experiment, ANSWERS, "a").scorings.get()
    [sentence] = experiments.warnings(experiment)
    [path] = re.findall(r"\$\.expected\S*[^.\s]", sentence)

    evaluators.change(evaluator, None, mapping={"expected": {"path": path}})
    experiments.add_evaluators(experiment, [evaluator])
    after = factories.scored_run(experiment, ANSWERS, "b").scorings.get()

    assert (before.summary["mean"], after.summary["mean"]) == (0, 1)
    assert experiments.warnings(experiment) == []
