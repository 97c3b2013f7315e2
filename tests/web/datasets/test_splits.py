"""The page of a dataset's splits, its filter bar, and the form of a launch."""

import pytest
from django.test import Client

from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.experiments import experiments
from evaluations.models import Split
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project):
    """Ten examples k1 to k10, of which the even ones are on law."""
    rows = [
        {"key": f"k{n}", "inputs": {"q": f"q{n}"}, "metadata": {"topic": "tax" if n % 2 else "law"}}
        for n in range(1, 11)
    ]
    return datasets.create(project, None, "questions", rows)


@pytest.fixture
def law(dataset) -> Split:
    return splits.create(dataset, None, "law", Rule(filter=[("topic", "law")]))


def keys(page: str) -> list[str]:
    return [f"k{n}" for n in range(1, 11) if f">k{n}</a>" in page]


def test_a_split_is_made_from_the_filter_of_the_dataset(as_user, alice, dataset):
    client = as_user(alice)
    filtered = client.get(f"/datasets/{dataset.pk}/?metadata[topic]=law").content.decode()
    assert f"/datasets/{dataset.pk}/splits/?metadata%5Btopic%5D=law#new" in filtered

    response = client.post(
        f"/datasets/{dataset.pk}/splits/",
        {"name": "law", "metadata[topic]": "law", "share": "40", "seed": "3"},
    )

    split = Split.objects.get()
    assert response.status_code == 302
    assert (split.filter, split.share, split.seed) == ([["topic", "law"]], 0.4, 3)
    assert len(splits.positions(split, 1)) == 2


def test_the_usual_two_splits_are_made_at_once_and_share_no_example(as_user, alice, dataset):
    as_user(alice).post(f"/datasets/{dataset.pk}/splits/usual/")

    dev, test = Split.objects.order_by("name")
    members = [set(splits.positions(split, dataset.version)) for split in (dev, test)]
    assert (dev.name, test.name) == ("dev", "test")
    assert not members[0] & members[1]
    assert len(members[0] | members[1]) == dataset.example_count


def test_keys_that_are_typed_are_chosen(as_user, alice, dataset):
    as_user(alice).post(f"/datasets/{dataset.pk}/splits/", {"name": "hard", "keys": "k3\r\n k9 \r\n"})

    assert splits.positions(Split.objects.get(), 1).tolist() == [3, 9]


def test_a_refused_split_keeps_its_typed_fields(as_user, alice, dataset):
    response = as_user(alice).post(
        f"/datasets/{dataset.pk}/splits/", {"name": "odd", "metadata[topic]": "law", "keys": "k1"}
    )

    page = response.content.decode()
    assert response.status_code == 400
    assert 'value="odd"' in page
    assert '<option value="law" selected>' in page
    assert not Split.objects.exists()


def test_the_page_counts_the_newest_versions(as_user, alice, dataset, law):
    datasets.append(dataset, None, [{"key": "k12", "inputs": {"q": "q"}, "metadata": {"topic": "law"}}])

    response = as_user(alice).get(f"/datasets/{dataset.pk}/splits/")

    [row] = response.context["rows"]
    assert [version.number for version in response.context["versions"]] == [2, 1]
    assert row.counts == [6, 5]


def test_the_page_names_overlaps(as_user, alice, dataset, law):
    splits.change(law, group="parts")
    splits.create(dataset, None, "hard", Rule(keys=["k1"]), "parts")
    datasets.edit(dataset, None, 1, {"metadata": {"topic": "law"}})

    page = as_user(alice).get(f"/datasets/{dataset.pk}/splits/").content.decode()

    assert "1 example also in hard" in " ".join(page.split())


def test_the_rows_of_a_dataset_are_those_of_the_split(as_user, alice, dataset, law):
    client: Client = as_user(alice)

    by_split = client.get(f"/datasets/{dataset.pk}/?split={law.pk}").content.decode()
    both = client.get(f"/datasets/{dataset.pk}/?split=law&q=q4").content.decode()

    assert keys(by_split) == ["k2", "k4", "k6", "k8", "k10"]
    assert keys(both) == ["k4"]
    assert client.get(f"/datasets/{dataset.pk}/?split=nowhere").status_code == 404


def test_a_split_is_downloaded(as_user, alice, dataset, law):
    response = as_user(alice).get(f"/datasets/{dataset.pk}/download/?format=jsonl&split=law")

    assert len(response.getvalue().splitlines()) == 5
    assert "questions v1 law" in response["Content-Disposition"]


def test_a_deleted_split_is_restored_from_the_notice(as_user, alice, dataset, law):
    client = as_user(alice)

    page = client.post(f"/splits/{law.pk}/delete/", follow=True).content.decode()
    assert not splits.live(dataset).exists()
    assert f"/splits/{law.pk}/restore/" in page
    client.post(f"/splits/{law.pk}/restore/")

    assert splits.live(dataset).get() == law


def test_a_taken_name_is_refused_on_the_page(as_user, alice, dataset, law):
    of_tax = splits.create(dataset, None, "tax", Rule(filter=[("topic", "tax")]))

    response = as_user(alice).post(f"/splits/{of_tax.pk}/rename/", {"name": "LAW"})

    of_tax.refresh_from_db()
    assert (response.status_code, of_tax.name) == (409, "tax")


def test_the_form_of_a_launch_offers_the_splits(as_user, alice, project, dataset, law):
    factories.prompt(project, "{{ q }}")

    page = as_user(alice).get(f"/p/default/launches/new/?dataset={dataset.pk}&split={law.pk}")

    assert f'<option value="{law.pk}" selected>law (questions)</option>' in page.content.decode()
    assert page.context["form"].has_splits


def test_the_page_of_an_experiment_shows_a_split_and_how_many_examples(as_user, alice, project, dataset, law):
    experiment = experiments.create(project, None, "which", dataset, [factories.evaluator(project)])
    for variant in ("v1", "v2"):
        factories.scored_run(experiment, ["yes"] * 10, variant)

    page = as_user(alice).get(f"/experiments/{experiment.pk}/?split=law")

    text = " ".join(page.content.decode().split())
    assert page.context["comparison"].figures.size == 5
    assert "5 of 10 examples" in text
    assert "Split: law" in text
    assert f"split={law.pk}" in page.context["api_call"]


def test_ticked_rows_become_a_split(as_user, alice, dataset):
    client = as_user(alice)
    page = client.get(f"/datasets/{dataset.pk}/").content.decode()
    assert page.count('form="ticked"') == 10

    form = client.get(f"/datasets/{dataset.pk}/splits/?position=2&position=7&position=x").content.decode()
    client.post(f"/datasets/{dataset.pk}/splits/", {"name": "hard", "position": ["2", "7"], "keys": "k9"})

    assert "2 selected rows" in form
    assert splits.positions(Split.objects.get(), 1).tolist() == [2, 7, 9]


def test_rows_of_an_older_version_cannot_be_ticked(as_user, alice, dataset):
    datasets.remove(dataset, None, 1)

    assert 'form="ticked"' not in as_user(alice).get(f"/datasets/{dataset.pk}/?version=1").content.decode()


@pytest.mark.django_db(transaction=True)
def test_fields_of_a_row_stand_on_one_line_where_a_label_wraps(live_server, alices_page, dataset):
    alices_page.goto(f"{live_server.url}/datasets/{dataset.pk}/splits/")
    longer = (
        "label => label.append(' of all the examples of this version of the dataset that have a reference')"
    )
    alices_page.locator("label[for=id_share]").evaluate(longer)

    labels = [alices_page.locator(f"label[for=id_{name}]").bounding_box() for name in ("name", "share")]
    fields = [alices_page.locator(f"#id_{name}").bounding_box() for name in ("name", "share")]
    assert labels[1]["height"] > labels[0]["height"]  # it wraps
    assert fields[0]["y"] == fields[1]["y"]
