"""Splits of a dataset by the API, and runs, lists and exports of their examples."""

import csv
import io
import json

import pytest

from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.experiments import experiments
from evaluations.imports import imports
from evaluations.models import Experiment, Import, Run
from tests import factories

from .conftest import score_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project):
    """Ten examples k1 to k10, of which the even ones are on law."""
    return datasets.create(
        project,
        None,
        "questions",
        [
            {
                "key": f"k{n}",
                "inputs": {"q": f"q{n}"},
                "reference": {"a": "yes"},
                "metadata": {"topic": "tax" if n % 2 else "law"},
            }
            for n in range(1, 11)
        ],
    )


@pytest.fixture
def law(dataset):
    return splits.create(dataset, None, "law", Rule(filter=[("topic", "law")]))


@pytest.fixture
def experiment(project, dataset) -> Experiment:
    return experiments.create(project, None, "which", dataset, [factories.evaluator(project)])


@pytest.fixture
def dev(writer, dataset):
    return writer.create(
        f"datasets/{dataset.pk}/splits/",
        {"name": "dev", "filter": {"topic": ["law", "tax"]}, "share": 0.3, "seed": 5, "group": "parts"},
    )


def test_a_new_split_is_answered_with_its_rule(dev):
    assert (dev["kind"], dev["filter"], dev["share"], dev["seed"], dev["group"], dev["examples"]) == (
        "share", {"topic": ["law", "tax"]}, 0.3, 5, "parts", 3,
    )  # fmt: skip


def test_a_changed_split_stays_in_its_group(writer, dev):
    changed = writer.patch(f"splits/{dev['id']}/", {"name": "first", "keys": ["k1", "k2"]}).json()

    assert (changed["name"], changed["kind"], changed["examples"], changed["group"]) == (
        "first", "hand", 2, "parts",
    )  # fmt: skip


def test_a_deleted_split_is_hidden_until_it_is_restored(writer, dataset, dev):
    address = f"splits/{dev['id']}/"

    assert writer.delete(address).status_code == 204
    assert writer.get(f"datasets/{dataset.pk}/splits/").json()["results"] == []
    assert writer.post(f"{address}restore/").json()["name"] == "dev"
    assert writer.get(address).json()["id"] == dev["id"]


def test_a_split_is_counted_in_any_version(writer, dataset, law):
    datasets.append(dataset, None, [{"inputs": {"q": "more"}, "metadata": {"topic": "law"}}])

    counts = {
        version: writer.get(f"datasets/{dataset.pk}/splits/?version={version}").json()["results"][0][
            "examples"
        ]
        for version in (1, 2)
    }

    assert counts == {1: 5, 2: 6}
    assert writer.get(f"splits/{law.pk}/?version=3").status_code == 404


def test_examples_are_listed_and_exported_by_split(writer, dataset, law):
    listed = writer.get(f"datasets/{dataset.pk}/examples/?split=law&page_size=3").json()
    more = writer.get(listed["next"]).json()
    searched = writer.get(f"datasets/{dataset.pk}/examples/?split={law.pk}&search=q4").json()
    exported = writer.get(f"datasets/{dataset.pk}/export/?split=law&format=jsonl").getvalue().splitlines()

    assert [row["key"] for row in listed["results"] + more["results"]] == ["k2", "k4", "k6", "k8", "k10"]
    assert [row["key"] for row in searched["results"]] == ["k4"]
    assert [json.loads(row)["key"] for row in exported] == ["k2", "k4", "k6", "k8", "k10"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "odd"}, "invalid_split"),
        ({"name": "odd", "share": 2}, "invalid_split"),
        ({"name": "odd", "filter": {"nobody": "law"}}, "missing_column"),
        ({"name": "odd", "filter": {"topic": 7}}, "invalid"),
        ({"name": "odd", "keys": ["nobody"]}, "unknown_example"),
        ({"name": "LAW", "share": 0.5}, "name_taken"),
        ({"name": "odd", "filter": {"topic": "law"}, "group": "parts"}, "split_overlap"),
        ({"name": "", "share": 0.5}, "required"),
    ],
)
def test_bad_splits_are_refused(writer, dataset, law, body, code):
    splits.change(law, group="parts")

    response = writer.post(f"datasets/{dataset.pk}/splits/", body)

    assert response.json()["error"]["code"] == code
    assert 400 <= response.status_code < 500
    assert splits.live(dataset).count() == 1


def test_a_run_is_asked_its_split_as_it_was_when_it_began(writer, dataset, law, experiment):
    outputs = [{"key": f"k{n}", "output": "yes"} for n in (2, 4, 6, 8)]

    new_run = writer.create(
        "runs/", {"experiment": experiment.pk, "variant": "v1", "split": "law", "outputs": outputs}
    )
    splits.change(law, rule=Rule(keys=["k1"]))
    score_all()
    run = writer.get(f"runs/{new_run['id']}/").json()

    assert (run["split"], run["asked_examples"], run["progress"]["total"]) == (
        {"id": law.pk, "name": "law"},
        5,
        5,
    )
    [figures] = run["scorings"]
    assert (figures["counts"]["total"], figures["counts"]["missing_actual"]) == (5, 1)


def test_an_output_outside_the_split_is_refused(writer, law, experiment):
    body = {"experiment": experiment.pk, "variant": "v1", "split": "law"}

    response = writer.post("runs/", body | {"outputs": [{"key": "k1", "output": "yes"}]})

    assert response.json()["error"]["code"] == "unknown_example"
    assert not Run.objects.exists()


@pytest.mark.parametrize("column", ["key", ""])
def test_a_file_of_outputs_is_matched_to_the_split(writer, law, experiment, column):
    """Matched by key, rows of other examples are left over; matched in order, the rows are those of the split."""
    rows = b"key,output\n" + b"".join(b"k%d,yes\n" % n for n in ([1, 2, 4] if column else [2, 4, 6]))
    mapping = {"output": "output"} | ({"key": column} if column else {})

    response = writer.upload(
        "runs/", rows, experiment=str(experiment.pk), variant="v1", split="law", mapping=mapping
    )
    assert response.status_code == 202, response.content
    imports.run_import(Import.objects.get().pk)

    run = Run.objects.get()
    matched = 2 if column else 3
    assert (run.outputs_note["matched"], run.outputs_note["missing"]) == (matched, 5 - matched)
    assert list(run.outputs.values_list("position", flat=True)) == [2, 4, 6][:matched]


def test_a_run_on_an_unknown_split_is_not_made(writer, law, experiment):
    response = writer.post("runs/", {"experiment": experiment.pk, "variant": "v1", "split": "nowhere"})

    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_split")
    assert not Run.objects.exists()


def test_a_stranger_sees_no_split(stranger, law):
    assert stranger.get(f"splits/{law.pk}/").status_code == 404


@pytest.fixture
def compared(experiment) -> str:
    """The query of a comparison of two runs, of which the second is wrong only on law."""
    right = ["yes"] * 10
    first = factories.scored_run(experiment, right, "v1")
    run = factories.scored_run(experiment, ["yes" if n % 2 else "no" for n in range(1, 11)], "v2")
    return f"runs={first.pk},{run.pk}"


def test_a_comparison_by_split_is_of_its_examples_alone(reader, law, compared):
    answer = reader.get(f"comparisons/?{compared}&split=law").json()
    examples = reader.get(f"comparisons/examples/?{compared}&split={law.pk}").json()["results"]
    table = reader.get(f"comparisons/export/?{compared}&split=law").content.decode()

    assert answer["filtered"] == {
        "metadata": [], "split": {"id": law.pk, "name": "law"}, "examples": 5, "of": 10,
    }  # fmt: skip
    assert answer["entries"][0]["difference"] == -1
    assert sorted(row["key"] for row in examples) == ["k10", "k2", "k4", "k6", "k8"]
    assert next(csv.DictReader(io.StringIO(table)))["n"] == "5"


def test_a_comparison_by_an_unknown_split_is_refused(reader, law, compared):
    response = reader.get(f"comparisons/?{compared}&split=nowhere")

    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown_split")


@pytest.fixture
def gate(writer, law, compared):
    baseline = int(compared.removeprefix("runs=").split(",")[0])
    criteria = [{"rule": "examples", "value": 5}]
    return writer.create(
        "gates/", {"name": "ship", "baseline": baseline, "split": "law", "criteria": criteria}
    )


def test_a_gate_with_a_split_checks_its_examples_alone(writer, law, gate):
    check = writer.get(f"gates/{gate['id']}/check/?run={gate['baseline']}").json()

    assert gate["split"] == {"id": law.pk, "name": "law"}
    assert check["criteria"][0]["measured"] == 5


def test_a_gate_without_its_split_has_another_hash(writer, gate):
    changed = writer.patch(f"gates/{gate['id']}/", {"split": None}).json()

    assert changed["split"] is None
    assert changed["hash"] != gate["hash"]
