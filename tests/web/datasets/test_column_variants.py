"""Metadata columns that have outputs become variants, after an import that did not recognise them."""

import pytest

from evaluations.datasets import datasets
from evaluations.models import Dataset, Experiment, Output, Run
from tests import factories
from tests.api.conftest import program

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project) -> Dataset:
    rows = [
        {"inputs": {"q": f"q{n}"}, "metadata": {"base": f"b{n}", "new": f"n{n}" if n else ""}}
        for n in range(3)
    ]
    return datasets.create(project, None, "pasted", rows)


def texts(run: Run) -> dict[int, str | None]:
    return dict(Output.objects.filter(run=run).values_list("position", "text"))


def test_columns_become_variants_of_a_new_experiment(alices, dataset):
    page = f"/datasets/{dataset.pk}/variants/"
    assert page in alices.get(f"/datasets/{dataset.pk}/").content.decode()

    answer = alices.post(page, {"columns": ["base", "new"]})

    experiment = Experiment.objects.get()
    base, new = experiment.runs.order_by("pk")
    assert answer["Location"] == f"/experiments/{experiment.pk}/"
    assert (texts(base), texts(new)) == ({1: "b0", 2: "b1", 3: "b2"}, {2: "n1", 3: "n2"})
    assert (new.variant, new.output_count) == ("new", 2)


def test_a_column_becomes_a_run_by_the_api(project, dataset, alices):
    writer = program(project, "write")
    experiment = writer.create("experiments/", {"name": "e", "dataset": dataset.pk})

    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "v", "column": "base"})
    unknown = writer.post("runs/", {"experiment": experiment["id"], "variant": "v", "column": "up"})

    assert run["output_count"] == 3
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "unknown_column")
    assert Run.objects.count() == 1


def test_a_column_of_few_values_looks_like_metadata_unless_references_have_them(alices, project):
    rows = [
        {
            "inputs": {"q": f"q{n}"},
            "reference": {"label": "yes" if n % 2 else "no"},
            "metadata": {"area": "EU" if n % 2 else "US", "v1": "yes" if n % 3 else "no", "v2": f"a{n}"},
        }
        for n in range(12)
    ]
    dataset = datasets.create(project, None, "labels", rows)

    page = alices.get(f"/datasets/{dataset.pk}/variants/")

    assert {column.name: column.few for column in page.context["columns"]} == {"area": 2, "v1": 0, "v2": 0}
    assert "2 values in 12 examples, looks like metadata" in " ".join(page.content.decode().split())


def test_without_a_ticked_column_nothing_is_made(alices, dataset):
    answer = alices.post(f"/datasets/{dataset.pk}/variants/", {})

    assert answer.status_code == 400
    assert not Experiment.objects.exists()


def test_a_column_of_a_split_gives_its_examples_alone(project, dataset):
    split = factories.splits.create(dataset, None, "some", factories.Rule(positions=[2]))
    writer = program(project, "write")
    experiment = writer.create("experiments/", {"name": "e", "dataset": dataset.pk})

    body = {"experiment": experiment["id"], "variant": "v", "column": "base", "split": split.name}
    run = writer.create("runs/", body)

    assert texts(Run.objects.get(pk=run["id"])) == {2: "b1"}


def test_a_second_input_column_can_be_a_variant(alices, project):
    rows = [{"inputs": {"q": f"q{n}", "answer": f"a{n}"}} for n in range(2)]
    of_inputs = datasets.create(project, None, "inputs", rows)
    page = f"/datasets/{of_inputs.pk}/variants/"
    assert page in alices.get(f"/datasets/{of_inputs.pk}/").content.decode()

    alices.post(page, {"columns": ["answer"]})

    assert texts(Run.objects.get()) == {1: "a0", 2: "a1"}


def test_the_way_is_where_variants_and_experiments_are_made(alices, project, dataset):
    page = f"/datasets/{dataset.pk}/variants/"
    experiment = factories.experiments.create(project, None, "e", dataset, [])

    for address in (
        f"/p/{project.slug}/experiments/new/?dataset={dataset.pk}",
        f"/experiments/{experiment.pk}/",
        f"/experiments/{experiment.pk}/variants/new/",
    ):
        assert page in alices.get(address).content.decode(), address
