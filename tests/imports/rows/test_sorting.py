"""The effects of a file's rows do not depend on their order."""

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from evaluations.datasets import contents
from evaluations.datasets.digests import Digests
from evaluations.imports.rows.sorting import ExistingExamples, Sorter

Row = tuple[str | None, str]  # key and contents


def text(content: str) -> bytes:
    return contents.of_key(f"contents {content}")


def names_and_contents(rows: list[Row]) -> tuple[Digests, Digests]:
    texts = [text(content) for _, content in rows]
    keys = [key for key, _ in rows]
    return Digests.from_bytes(contents.names(keys, texts)), Digests.from_bytes(b"".join(texts))


def sort(dataset: list[Row], file: list[Row], mode: str, duplicates: str, at_once: int = 2) -> Counter[str]:
    """The number of rows by effect, for a file read in batches."""
    existing = ExistingExamples(*names_and_contents(dataset), np.arange(1, len(dataset) + 1, dtype=np.uint32))
    sorter, counts = Sorter(existing, mode, duplicates), Counter[str]()
    for start in range(0, len(file), at_once):
        rows = file[start : start + at_once]
        first_pass = sorter.first_pass(
            *names_and_contents(rows), np.array([key is not None for key, _ in rows])
        )
        counts.update(same=first_pass.same, refused=len(first_pass.refused))
    for change in sorter.settle():
        counts.update(added=len(change.added), changed=len(change.changed))
        counts.update(duplicates=len(change.duplicates), refused=len(change.refused))
    counts["removed"] = len(existing.unused()) if mode == "mirror" else 0
    return +counts


def test_a_copy_before_its_unchanged_original_is_a_duplicate():
    dataset, file = [("a", "A"), ("b", "B")], [("new", "A"), ("a", "A"), ("b", "B")]

    assert sort(dataset, file, "mirror", "keep") == {"added": 1, "same": 2, "duplicates": 1}
    assert sort(dataset, file, "mirror", "skip") == {"same": 2, "duplicates": 1}
    assert sort(dataset, file, "mirror", "fail") == {"same": 2, "refused": 1}


def test_a_mirror_gives_a_new_key_to_an_example_that_the_file_has_under_no_other():
    assert sort([("a", "A"), ("b", "B")], [("new", "A"), ("b", "B")], "mirror", "keep") == {
        "changed": 1,
        "same": 1,
    }


def test_a_merge_removes_nothing_so_a_new_key_is_a_new_example():
    assert sort([("a", "A")], [("new", "A")], "merge", "keep") == {"added": 1, "duplicates": 1}


def test_an_example_whose_row_is_skipped_lends_its_contents_to_no_duplicate():
    dataset = [("a", "A"), ("b", "B")]

    ended = sort(dataset, [("a", "Z"), ("b", "Z"), ("new", "B")], "mirror", "skip")

    assert ended == {"changed": 2, "duplicates": 1}


@pytest.mark.parametrize("mode", ["append", "merge", "mirror"])
@pytest.mark.parametrize("duplicates", ["keep", "skip", "fail"])
def test_counts_do_not_depend_on_the_order_of_rows(mode, duplicates):
    chance = random.Random(f"{mode} {duplicates}")
    for _ in range(8):
        dataset = some_rows(chance, 6)
        file = some_rows(chance, 4)

        orders = [sort(dataset, list(order), mode, duplicates) for order in permutations(file)]

        assert all(counts == orders[0] for counts in orders), (dataset, file)


def some_rows(chance: random.Random, count: int) -> list[Row]:
    """Rows with distinct keys, of few different contents."""
    keys: list[str | None] = list(chance.sample("abcdefgh", count))
    return [(chance.choice([key, key, None]), chance.choice("XYZ")) for key in keys]
