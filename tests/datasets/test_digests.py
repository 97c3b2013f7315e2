"""Digests as sorted arrays, checked against Python sets."""

import random
from itertools import pairwise

import numpy as np
import pytest

from evaluations import long_arrays
from evaluations.datasets.digests import Digests, DigestSet


def digest(high: int, low: int) -> bytes:
    return high.to_bytes(8, "little") + low.to_bytes(8, "little")


def digests(count: int, seed: int) -> list[bytes]:
    """Digests from few different halves, so that many share one."""
    chance = random.Random(seed)
    return [digest(chance.randrange(6), chance.randrange(6)) for _ in range(count)]


def array(parts: list[bytes]) -> Digests:
    return Digests.from_bytes(b"".join(parts))


@pytest.mark.parametrize("seed", range(20))
def test_a_digest_is_found_at_its_first_index_even_if_others_share_a_half(seed):
    ordered, searched = array(digests(25, seed)).sorted(), digests(30, seed + 100)
    stored = [digest(int(high), int(low)) for high, low in zip(ordered.high, ordered.low, strict=True)]

    indices, is_there = ordered.find(array(searched))

    assert is_there.tolist() == [value in stored for value in searched]
    assert indices[is_there].tolist() == [stored.index(value) for value in searched if value in stored]


@pytest.mark.parametrize("seed", range(5))
def test_repeated_ones_stand_earlier(seed):
    stored = digests(30, seed)

    assert array(stored).repeated().tolist() == [
        value in stored[:index] for index, value in enumerate(stored)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_a_set_contains_batches_of_any_size(seed):
    stored, searched, growing = digests(40, seed), digests(40, seed + 50), DigestSet()
    cuts = [0, 1, 3, 10, 11, 25, 25, 27]

    for first, last in pairwise(cuts):
        growing.add(array(stored[first:last]))

    assert growing.has(array(searched)).tolist() == [value in stored[:27] for value in searched]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cut", [0, 2, 20, 39, 40])
def test_sorted_digests_are_merged_a_stretch_at_a_time(seed, cut, monkeypatch):
    monkeypatch.setattr(long_arrays, "AT_ONCE", 3)
    every = array(digests(40, seed))

    merged = every[:cut].sorted().merged(every[cut:].sorted())

    assert merged.equals(every.sorted()).all()


def test_nothing_is_in_an_empty_array():
    indices, is_there = array([]).find(array([digest(1, 2)]))

    assert (indices.tolist(), is_there.tolist()) == ([0], [False])
    assert array([]).repeated().dtype == np.bool_
