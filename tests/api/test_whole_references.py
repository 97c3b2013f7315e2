"""The API warns of text evaluators that are compared with several reference columns at once."""

import pytest

from .conftest import import_all, score_all

CSV = b"question,answer,source\nCapital of France?,Paris,an atlas\nCapital of Italy?,Rome,an atlas\n"
MAPPING = {"inputs": ["question"], "reference": ["answer", "source"]}
ROWS = [
    {"inputs": {"question": "Capital of France?"}, "reference": {"answer": "Paris", "source": "an atlas"}},
    {"inputs": {"question": "Capital of Italy?"}, "reference": {"answer": "Rome", "source": "an atlas"}},
]


def codes(answer: dict) -> list[str]:
    return [warning["code"] for warning in answer["warnings"]]


@pytest.fixture
def capitals(writer):
    return writer.create("datasets/", {"name": "With sources", "examples": ROWS})


@pytest.fixture
def path_evaluator(writer):
    mapping = {"expected": {"path": "$.expected.answer"}}
    return writer.create("evaluators/", {"name": "Exact", "kind": "exact_match", "mapping": mapping})


def test_a_file_with_several_reference_columns_is_imported_with_a_warning(writer):
    dataset = writer.upload("datasets/", CSV, name="With sources", mapping=MAPPING).json()
    import_all()

    ready = writer.get(f"datasets/{dataset['id']}/").json()

    assert (ready["status"], codes(ready)) == ("ready", ["whole_reference"])
    assert "$.expected.answer" in ready["warnings"][0]["hint"]


def test_a_change_that_brings_a_second_reference_column_warns_once(writer):
    column_map = {"inputs": ["question"], "reference": ["answer"], "metadata": ["source"]}
    dataset = writer.upload("datasets/", CSV, name="With sources", mapping=column_map).json()
    import_all()

    changes = []
    for _ in range(2):
        upload = writer.upload(
            f"datasets/{dataset['id']}/upload/", CSV, mode="append", mapping=MAPPING
        ).json()
        import_all()
        changes.append(writer.get(f"datasets/{dataset['id']}/imports/{upload['import']}/").json())

    assert [codes(change) for change in changes] == [["whole_reference"], []]


def test_a_new_experiment_names_the_evaluators_that_need_a_path(writer, capitals, evaluator, path_evaluator):
    body = {"name": "q", "dataset": capitals["id"], "evaluators": [evaluator["id"], path_evaluator["id"]]}

    experiment = writer.create("experiments/", body)

    assert codes(experiment) == ["whole_reference"]
    assert "Edits" in experiment["warnings"][0]["message"]
    assert "Exact" not in experiment["warnings"][0]["message"]


def test_so_does_an_experiment_to_which_one_is_added(writer, capitals, evaluator, path_evaluator):
    body = {"name": "q", "dataset": capitals["id"], "evaluators": [path_evaluator["id"]]}
    experiment = writer.create("experiments/", body)

    added = writer.create(f"experiments/{experiment['id']}/evaluators/", {"evaluators": [evaluator["id"]]})

    assert (codes(experiment), codes(added)) == ([], ["whole_reference"])


def test_a_comparison_says_it_of_scores_that_are_there(writer, capitals, evaluator):
    body = {"name": "q", "dataset": capitals["id"], "evaluators": [evaluator["id"]]}
    experiment = writer.create("experiments/", body)
    outputs = [{"position": 1, "output": "Paris"}, {"position": 2, "output": "Rome"}]
    runs = [
        writer.create("runs/", {"experiment": experiment["id"], "variant": name, "outputs": outputs})["id"]
        for name in "ab"
    ]
    score_all()

    comparison = writer.get(f"comparisons/?runs={runs[0]},{runs[1]}").json()

    assert "whole_reference" in codes(comparison)


def test_one_reference_column_needs_no_warning(experiment):
    assert experiment["warnings"] == []
