"""The lookup `has`, with which pages and API search in texts."""

import time

import pytest

from evaluations.datasets import datasets
from evaluations.models import Example

pytestmark = pytest.mark.django_db
LONG = "a" * 40


def found_in(project, texts: list[str], text: str) -> list[int]:
    dataset = datasets.create(project, None, "texts", [{"inputs": {"q": question}} for question in texts])
    rows = Example.objects.filter(dataset=dataset, inputs__has=text)
    return [*rows.order_by("position").values_list("position", flat=True)]


@pytest.mark.parametrize("padding", ["", LONG])
def test_short_and_long_texts_follow_the_same_rules(project, padding):
    """Wildcards are letters, and case is ignored for ASCII letters only."""
    texts = [f"50 % _ ~ É{padding}", f"50 %% _ ~ é{padding}", f"{padding}x"]

    assert found_in(project, texts, f"0 % _ ~ É{padding.upper()}") == [1]


def test_texts_that_repeat_the_beginning_of_a_search_take_no_longer(project):
    """LIKE compares each of their characters with up to 200: seconds for three million."""
    texts = ["a" * 1_000_000] * 3
    dataset = datasets.create(project, None, "texts", [{"inputs": {"q": question}} for question in texts])
    rows = Example.objects.filter(dataset=dataset)

    start = time.perf_counter()
    assert rows.filter(inputs__has="b" * 200).count() == 0
    plain = time.perf_counter() - start
    assert rows.filter(inputs__has="a" * 199 + "b").count() == 0

    assert time.perf_counter() - start - plain < 10 * plain + 0.4
