"""Exports of other tools by the API: one call imports, another shows the figures."""

import json

import pytest

from evaluations.models import Dataset
from tests.other_tools.files import changed, content

from .conftest import import_all, score_all

pytestmark = pytest.mark.django_db


def imported(writer, name: str = "promptfoo_v3.json") -> dict:
    answer = writer.upload("datasets/", content(name), name, name="Moved")
    assert answer.status_code == 202, answer.content
    import_all()
    score_all()
    return writer.get(f"datasets/{answer.json()['id']}/").json()


def test_one_call_imports_an_export(writer):
    dataset = imported(writer)

    assert (dataset["status"], dataset["example_count"]) == ("ready", 3)
    experiment = writer.get(f"experiments/{dataset['experiment']}/").json()
    assert len(experiment["runs"]) == 4
    assert experiment["runs"][0]["about"]["model"].startswith("openai:gpt-4.1")


def test_the_figures_of_the_tool_stand_beside_ours(writer, reader):
    dataset = imported(writer)

    source = reader.get(f"experiments/{dataset['experiment']}/source/").json()

    figures = {(line["variant"], line["grader"]): line for line in source["figures"]}
    overall = figures["", "All assertions"]
    assert overall["theirs"] == {"n": 12, "mean": None, "pass_rate": 5 / 12}
    assert (overall["ours"]["n"], overall["ours"]["pass_rate"], overall["equal"]) == (12, 5 / 12, True)
    exact = figures["prompt 1, openai:gpt-4.1-nano", "exact"]
    assert (exact["theirs"]["n"], exact["ours"], exact["equal"]) == (
        *(2, {"n": 2, "mean": 0.0, "pass_rate": 0.0}),
        True,
    )
    by_grader = {grader["name"]: grader["evaluator"] for grader in source["graders"]}
    assert set(by_grader.values()) == experiment_evaluators(reader, dataset)
    assert {grader["name"] for grader in source["graders"] if grader["why"]} == {
        "All assertions",
        "Score of all assertions",
        "llm-rubric",
    }
    assert {grader["name"]: grader["failed"] for grader in source["graders"] if grader["failed"]} == {
        "All assertions": 1,
        "Score of all assertions": 1,
        "exact": 1,
    }


def experiment_evaluators(reader, dataset) -> set[int]:
    return {used["id"] for used in reader.get(f"experiments/{dataset['experiment']}/").json()["evaluators"]}


def test_an_experiment_of_ours_has_no_source(reader, experiment):
    assert reader.get(f"experiments/{experiment['id']}/source/").status_code == 404


def test_a_version_that_is_not_known_is_refused(writer):
    def age(document):
        document["results"]["version"] = 9

    answer = writer.upload("datasets/", changed("promptfoo_v3.json", age), "a.json", name="Moved")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "other_tool")
    assert not Dataset.objects.exists()


def test_output_items_with_a_mapping_are_a_table_as_before(writer):
    items = [line for line in content("openai.jsonl").splitlines() if b"output_item" in line]
    mapping = {"inputs": ["datasource_item"], "key": "id"}

    writer.upload("datasets/", b"\n".join(items), "a.jsonl", name="Rows", mapping=json.dumps(mapping))
    import_all()

    assert Dataset.objects.get().columns["inputs"] == ["datasource_item"]
