"""Metadata filters and counts on the page of a dataset."""

import re

import pytest

from evaluations.datasets import datasets
from tests.pages import markup

pytestmark = pytest.mark.django_db
METADATA = [
    {"topic": "law", "level": 1, "note": "a"},
    {"topic": "law", "level": 12, "note": "b"},
    {"topic": "art", "level": 1, "note": 'say "topic":"law"'},
    {"topic": "lawyer", "level": "1", "note": "d"},
    {"topic": None, "level": True, "note": "e"},
]


@pytest.fixture
def dataset(project):
    examples = [
        {"key": f"k{n}", "inputs": {"q": f"q{n}"}, "reference": {"a": "x"}, "metadata": metadata}
        for n, metadata in enumerate(METADATA, 1)
    ]
    return datasets.create(project, None, "topics", examples)


@pytest.fixture
def get_page(client, alice, dataset):
    client.force_login(alice)
    return lambda query="": client.get(f"/datasets/{dataset.pk}/{query}")


def keys(answer) -> list[str]:
    return [row.name for row in answer.context["rows"]]


@pytest.mark.parametrize(
    ("query", "expected_keys"),
    [
        ("metadata[topic]=law", ["k1", "k2"]),
        ("metadata[level]=1", ["k1", "k3", "k4"]),
        ("metadata[level]=true", ["k5"]),
        ("metadata[topic]=law&metadata[level]=1", ["k1"]),
        ("metadata[topic]=law&q=q2", ["k2"]),
        ("metadata[topic]=nobody", []),
        ("metadata[topic]=", ["k1", "k2", "k3", "k4", "k5"]),
        ("metadata[unknown]=law", []),
    ],
)
def test_a_value_of_metadata_chooses_its_examples(get_page, query, expected_keys):
    assert keys(get_page(f"?{query}")) == expected_keys


def test_values_are_counted_under_the_other_choices(get_page):
    answer = get_page("?metadata[level]=1")

    choices = {choice.column: (choice.chosen, dict(choice.values)) for choice in answer.context["choices"]}
    assert choices["topic"] == ("", {"law": 1, "art": 1, "lawyer": 1})
    assert choices["level"] == ("1", {"1": 3, "12": 1, "true": 1})


def test_a_choice_is_offered_with_its_count_and_stays_chosen(get_page):
    html = markup(get_page("?metadata[topic]=law"))

    assert re.search(r'<option value="law" selected>\s*law · 2', html)
    assert re.search(r'<option value="art"\s*>\s*art · 1', html)


@pytest.mark.parametrize("query", ["?metadata[topic]=law&q=zzz", "?metadata[topic]=law&metadata[level]=true"])
def test_where_nothing_is_found_each_choice_stays_and_is_told(get_page, query):
    html = " ".join(markup(get_page(query)).split())

    assert re.search(r'<option value="law" selected>\s*law · 0', html)
    assert 'name="metadata[level]"' in html
    assert "No examples with topic “law”" in html
    assert "0 examples found" not in html
    assert "Show all" in html


def test_columns_with_many_values_are_no_choice(get_page, monkeypatch):
    monkeypatch.setattr("evaluations.datasets.metadata.MOST_VALUES", 3)

    assert [choice.column for choice in get_page().context["choices"]] == ["topic", "level"]


def test_the_values_of_each_version_are_counted(get_page, alice, dataset):
    def topics(query: str = "") -> dict[str, int]:
        return {choice.column: dict(choice.values) for choice in get_page(query).context["choices"]}["topic"]

    first = topics()
    datasets.remove(dataset, alice, 1)

    assert topics() == first | {"law": first["law"] - 1}
    assert topics("?version=1") == first


def test_a_value_is_not_found_in_other_case_or_inside_another_value(get_page, alice, dataset):
    further_metadata = [{"topic": "Law"}, {"topic": "art", "source": {"topic": "law", "page": 1}}]
    datasets.append(
        dataset,
        alice,
        [{"key": f"o{n}", "inputs": {}, "metadata": m} for n, m in enumerate(further_metadata)],
    )

    answer = get_page("?metadata[topic]=law")

    assert keys(answer) == ["k1", "k2"]
    assert answer.context["matches"] == 2
