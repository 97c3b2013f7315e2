"""Files of outputs for datasets without keys, matched by metadata that have one value for each example."""

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.imports import imports, second_files
from evaluations.models import Import, Run
from tests import factories
from tests.factories import jsonl

pytestmark = pytest.mark.django_db
ROWS = jsonl(*({"case_id": f"home-{n}", "tool_calls": f"call {n}"} for n in (3, 1, 2)))


def draft(project, *case_ids: str) -> Run:
    examples = [
        {"inputs": {"utterance": "Light on"}, "metadata": {"case_id": case_id}} for case_id in case_ids
    ]
    dataset = datasets.create(project, None, "homes", examples)
    exact = factories.evaluator(project)
    return factories.run(experiments.create(project, None, "homes", dataset, [exact]), (), start=False)


def outputs_imported(run: Run) -> Run:
    upload = factories.parked(run.project, ROWS)
    factories.begin_outputs(upload, run, {"key": "case_id", "output": "tool_calls"})
    imports.run_import(Import.objects.get(run=run).pk)
    run.refresh_from_db()
    return run


def test_a_column_with_one_value_for_each_example_names_them_without_keys(project):
    run = outputs_imported(draft(project, "home-1", "home-2", "home-3"))

    found = run.outputs.order_by("position").values_list("position", "text")
    assert [*found] == [(1, "call 1"), (2, "call 2"), (3, "call 3")]


def test_it_is_suggested_for_another_file(project):
    experiment = draft(project, "home-1", "home-2", "home-3").experiment

    suggestion = second_files.suggest(factories.parked(project, ROWS), experiment)

    assert suggestion.mapping == {"output": "tool_calls", "key": "case_id"}


@pytest.mark.parametrize(
    ("case_ids", "said"),
    [
        (("home-1", "home-1", "home-2"), "has no value of its own for each"),
        (("a", "b", "c"), "has other values"),
    ],
)
def test_a_refusal_says_what_is_so_of_a_dataset_without_keys(project, case_ids, said):
    run = outputs_imported(draft(project, *case_ids))

    assert run.error["code"] == "nothing_matched"
    assert "no keys" in run.error["message"]
    assert f"metadata “case_id” {said}." in run.error["message"]
