"""Prompts filled from the examples of a dataset."""

import pytest

from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound
from evaluations.models import Dataset
from evaluations.prompts import rendering


def user(content: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": content}]


@pytest.fixture
def dataset(project) -> Dataset:
    examples = [
        {
            "inputs": {"question": "Why?", "n": 2**63},
            "reference": {"answer": "so"},
            "metadata": {"topic": "law"},
        },
        {"inputs": {"question": "{{ n }}"}, "reference": {"answer": "no"}},
    ]
    return datasets.create(project, None, "questions", examples)


def test_examples_are_rendered_in_the_order_that_was_asked_for(dataset):
    results = rendering.render(user("Q: {{ question }}"), dataset, [2, 1])

    assert results == [
        {"position": 2, "messages": user("Q: {{ n }}")},
        {"position": 1, "messages": user("Q: Why?")},
    ]


def test_metadata_and_numbers_of_any_size_are_inserted(dataset):
    [result] = rendering.render(user("{{ metadata.topic }} {{ n }}"), dataset, [1])

    assert result["messages"] == user("law 9223372036854775808")


def test_a_single_input_is_the_column_input(project):
    dataset = datasets.create(project, None, "texts", [{"inputs": "alone"}])

    assert rendering.render(user("{{ input }}"), dataset, [1])[0]["messages"] == user("alone")


def test_every_unknown_variable_is_named_before_anything_is_rendered(dataset):
    with pytest.raises(Invalid) as refusal:
        rendering.render(user("{{ nowhere }} {{ question }} {{ answer }}"), dataset, [1])

    assert refusal.value.code == "unknown_variable"
    unknown, reference = refusal.value.fields["messages"]
    assert "nowhere" in unknown
    assert "reference" in reference
    assert "{{ question }}" in refusal.value.hint


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("Question", "{{ question }}"),
        ("qestion", "{{ question }}"),
        ("inputs.question", "{{ question }}"),
        ("topic", "{{ metadata.topic }}"),
        ("metadata.topics", "{{ metadata.topic }}"),
    ],
)
def test_the_variable_that_was_probably_meant_is_suggested(dataset, name, suggestion):
    with pytest.raises(Invalid) as refusal:
        rendering.render(user(f"{{{{ {name} }}}}"), dataset, [1])

    assert suggestion in refusal.value.message


def test_nothing_is_suggested_for_a_variable_unlike_all_columns(dataset):
    with pytest.raises(Invalid) as refusal:
        rendering.render(user("{{ settings.SECRET_KEY }}"), dataset, [1])

    assert "{{" not in refusal.value.message


def test_an_example_without_a_value_is_named(dataset):
    with pytest.raises(Invalid) as refusal:
        rendering.render(user("{{ n }}"), dataset, [1, 2])

    assert (refusal.value.code, refusal.value.where) == ("missing_value", {"position": 2})


def test_an_example_that_was_removed_is_not_found(dataset):
    datasets.remove(dataset, None, 2)

    with pytest.raises(NotFound, match="2"):
        rendering.render(user("{{ question }}"), dataset, [1, 2])
