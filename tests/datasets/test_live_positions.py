"""Slots of a version's examples, whose positions have gaps after changes and removals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.datasets import bitmaps, datasets, live_positions
from evaluations.datasets.live_positions import Positions

ascending = st.sets(st.integers(1, 60)).map(sorted)
stretch = st.tuples(st.integers(1, 60), st.integers(1, 30))


def positions_at(numbers: list[int]) -> Positions:
    return Positions.from_array(np.array(numbers, np.int64))


@given(ascending)
def test_a_slot_leads_to_its_position_and_back(numbers):
    positions = positions_at(numbers)

    assert positions.every.tolist() == numbers
    assert positions.at(np.arange(len(numbers))).tolist() == numbers
    assert [positions.slot(number) for number in numbers] == list(range(len(numbers)))
    assert (len(positions), positions.last) == (len(numbers), max(numbers, default=0))


@given(ascending, st.lists(st.integers(0, 70)))
def test_only_existing_examples_have_slots(numbers, searched):
    positions = positions_at(numbers)
    rows = [(number, f"row {number}") for number in searched]

    slots, is_here = positions.find(np.array(searched, np.int64))
    live_slots, live_rows = positions.placed(rows)

    assert is_here.tolist() == [number in numbers for number in searched]
    assert [numbers[slot] for slot in slots[is_here]] == [number for number in searched if number in numbers]
    assert positions.mask(np.array(searched, np.int64)).tolist() == [number in searched for number in numbers]
    assert [(numbers[slot], text) for slot, (_, text) in zip(live_slots, live_rows, strict=True)] == [
        row for row in rows if row[0] in numbers
    ]


@given(ascending, stretch)
def test_a_span_maps_slots_to_offsets(numbers, stretch):
    first, length = stretch
    block, column = np.arange(first, first + length), np.zeros(len(numbers), np.int64)

    slots, offsets = positions_at(numbers).span(first, length)
    column[slots] = block[offsets]

    assert column.tolist() == [number if number in block else 0 for number in numbers]
    assert column[slots].all()


@given(ascending, st.integers(1, 20))
def test_the_stretches_are_those_with_a_position(numbers, size):
    begun = list(positions_at(numbers).stretches(size))

    assert {number for number in numbers for first in begun if first <= number < first + size} == set(numbers)
    assert all(first % size == 1 % size for first in begun)
    if len(numbers) > 1 and numbers != list(range(numbers[0], numbers[-1] + 1)):
        assert len(begun) == len({(number - 1) // size for number in numbers})


@given(ascending, ascending)
def test_positions_are_known_by_their_key(numbers, other_numbers):
    assert (positions_at(numbers).key == positions_at(other_numbers).key) == (numbers == other_numbers)


@given(ascending, st.lists(st.integers(1, 70)))
def test_bits_say_which_positions_are_set(numbers, searched):
    bits = bitmaps.packed(np.array(numbers, np.int64))

    assert bitmaps.holds(bits, np.array(searched, np.int64)).tolist() == [
        number in numbers for number in searched
    ]


@pytest.mark.django_db
def test_every_version_has_its_own(project, django_assert_num_queries):
    dataset = datasets.create(project, None, "letters", [{"inputs": {"q": text}} for text in "abcd"])
    datasets.remove(dataset, None, 2)
    datasets.edit(dataset, None, 4, {"inputs": {"q": "D"}})

    every = [live_positions.of_version(dataset, version).every.tolist() for version in (1, 2, 3)]

    assert every == [[1, 2, 3, 4], [1, 3, 4], [1, 3, 5]]
    with django_assert_num_queries(0):
        live_positions.of_version(dataset, 3)


@pytest.mark.django_db
def test_a_future_version_has_no_slots(project):
    assert len(live_positions.of_version(datasets.create(project, None, "empty"), 1)) == 0


@pytest.mark.django_db
def test_a_dataset_without_gaps_is_not_read(project, django_assert_num_queries):
    dataset = datasets.create(project, None, "letters", [{"inputs": {"q": text}} for text in "abcd"])

    with django_assert_num_queries(0):
        assert live_positions.of_version(dataset, 1).is_whole
