"""The lookup `has`, with which pages and API search in texts."""

import time

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import search
from evaluations.models import Example

pytestmark = pytest.mark.django_db
LONG = "a" * 40


def found_in(project, texts: list[str], text: str) -> list[int]:
    dataset = datasets.create(
        project, None, f"texts {text}", [{"inputs": {"q": question}} for question in texts]
    )
    rows = Example.objects.filter(dataset=dataset, inputs__has=text)
    return [*rows.order_by("position").values_list("position", flat=True)]


@pytest.mark.parametrize("padding", ["", LONG])
def test_short_and_long_texts_follow_the_same_rules(project, padding):
    """Wildcards are letters, and case is ignored."""
    texts = [f"50 % _ ~ É{padding}", f"50 %% _ ~ é{padding}", f"{padding}x"]

    assert found_in(project, texts, f"0 % _ ~ É{padding.upper()}") == [1]
    assert found_in(project, texts, f"_ ~ é{padding.upper()}") == [1, 2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("äpfel", [1, 2]),
        ("ÄPFEL", [1, 2]),
        ("привет", [3]),
        ("birnen", [4]),
        ("100%", [5]),
        ("a_b", [7]),
        ("%", [5]),
    ],
)
def test_case_is_that_of_every_script_and_wildcards_are_letters(project, text, found):
    texts = ["Äpfel", "gute ÄPFEL", "ПРИВЕТ мир", "Birnen", "100% sure", "1000 sure", "a_b", "axb"]

    assert found_in(project, texts, text) == found


def test_names_are_found_in_every_case(project):
    dataset = datasets.create(project, None, "Größe 100%", [{"inputs": {"q": "1"}}])

    for text in ("GRÖSSE".replace("SS", "ẞ"), "größe", "100%"):
        assert [match.pk for match in search.matches(project, text)] == [dataset.pk], text
    assert search.matches(project, "0_%") == []


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
