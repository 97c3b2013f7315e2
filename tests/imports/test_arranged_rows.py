"""Files whose rows are rearranged when they are read, and mappings and datasets that know them as they are."""

import json

import pytest

from evaluations.datasets import datasets
from evaluations.imports import changes
from evaluations.models import Output
from tests.factories import imported, jsonl, parked

pytestmark = pytest.mark.django_db
NAMES = ("small", "large")


def battle(n):
    models = NAMES[:: 1 - 2 * (n % 3 == 0)]
    return {"id": n, "question": f"q {n}?", "model_a": models[0], "model_b": models[1]} | {
        "response_a": f"{models[0]} says {n}",
        "response_b": f"{models[1]} says {n}",
        "winner": f"model_{'ab'[n % 4 % 2]}",
    }


BATTLES = [battle(n) for n in range(40)]


def test_models_that_change_sides_are_variants_by_default(project):
    dataset = imported(project, jsonl(*BATTLES))

    outputs = Output.objects.filter(run__experiment__dataset=dataset).values_list("run__variant", "text")
    assert {name for name, _ in outputs} == {*NAMES}
    assert all(f"{name} says" in str(text) for name, text in outputs)


def test_a_mapping_that_names_the_sides_gets_the_sides(project):
    mapping = {"inputs": ["question"], "key": "id", "outputs": {"A": "response_a", "B": "$.response_b"}}
    dataset = imported(project, jsonl(*BATTLES), mapping=mapping)

    assert dataset.example_count == 40
    assert {run.variant for run in dataset.experiments.get().runs.all()} == {"A", "B"}


def test_a_path_into_a_column_of_several_outputs_still_leads_there(project):
    rows = [{"q": f"q {n}", "responses": {name: f"{name} {n}" for name in NAMES}} for n in range(20)]
    mapping = {"inputs": ["q"], "outputs": {"mine": "$.responses.small"}}
    dataset = imported(project, jsonl(*rows), mapping=mapping)

    assert {run.variant for run in dataset.experiments.get().runs.all()} == {"mine"}


def test_a_file_for_a_dataset_that_has_the_sides_as_columns_keeps_them(project):
    mapping = {"inputs": ["question"], "key": "id", "metadata": ["response_a", "response_b"]}
    dataset = imported(project, jsonl(*BATTLES), mapping=mapping)
    columns = changes.suggested(changes._preview(parked(project, jsonl(*BATTLES)), dataset), dataset)

    assert {"response_a", "response_b"} <= {*columns.metadata}


def test_several_right_answers_in_a_cell_are_stored_as_a_list(project):
    lines = ["id,question,best answer,correct answers,output"]
    lines += [f"{n},q {n},thing {n} is,matter {n} is; thing {n} is,thing {n} is" for n in range(14)]
    mapping = {
        "inputs": ["question"],
        "reference": ["correct answers"],
        "key": "id",
        "outputs": {"v1": "output"},
    }
    dataset = imported(project, "\n".join(lines), "rows.csv", mapping=mapping)

    first = datasets.examples(dataset).first()
    assert json.loads(first.reference) == {"correct answers": ["matter 0 is", "thing 0 is"]}


def test_tags_of_words_are_stored_as_entities(project):
    row = {"tokens": ["Ada", "sang"], "ner_tags": ["B-PER", "O"], "pred_bert": ["B-PER", "O"]}
    mapping = {"inputs": ["tokens"], "reference": ["ner_tags"], "outputs": {"bert": "pred_bert"}}
    dataset = imported(project, jsonl(*({"id": n, **row} for n in range(9))), mapping=mapping)

    entities = [{"type": "PER", "text": "Ada", "word": 1}]
    assert json.loads(datasets.examples(dataset).first().reference) == {"ner_tags": entities}
    assert {json.loads(output.text)[0]["text"] for output in Output.objects.all()} == {"Ada"}
