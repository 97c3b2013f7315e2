"""Lists in metadata are sets: filters, splits and choices look at their members."""

import numpy as np
import pytest

from evaluations.comparisons.grouping import groups
from evaluations.datasets import datasets, live_positions, metadata, selections, splits
from evaluations.datasets.arrays import coded

pytestmark = pytest.mark.django_db
TAGS = [
    ["hard"],
    ["math", "hard"],
    [],
    '["hard", "x"]',
    "hard",
    ["harder"],
    [["hard"]],
    [3],
    None,
    ['say "hard"'],
]


@pytest.fixture
def tagged(project):
    return datasets.create(
        project,
        None,
        "tagged",
        [{"inputs": {"q": str(n)}, "metadata": {"tags": tags}} for n, tags in enumerate(TAGS)],
    )


@pytest.mark.parametrize(
    ("value", "found"),
    [("hard", [1, 2, 4, 5]), ("3", [8]), ('say "hard"', [10]), ('["hard"]', [1]), ("har", [])],
)
def test_a_filter_finds_the_members_of_lists(tagged, value, found):
    rows = selections.matching(tagged, 1, pairs=[("tags", value)])

    assert [*rows.order_by("position").values_list("position", flat=True)] == found


def test_a_split_has_the_examples_with_a_member(tagged, alice):
    split = splits.create(tagged, alice, "hard", splits.Rule(filter=[("tags", "hard")]))

    assert splits.examples(split, 1).count() == 4


def test_a_form_offers_the_members(tagged):
    assert dict(metadata.counts(datasets.examples(tagged), ["tags"])["tags"])["hard"] == 4


def test_each_member_is_a_subset_of_its_own():
    values = [["a", "b"], ["b"], ["b", "c" * 120], ["a"]] * 20
    column = coded(values)

    sets = groups.sets_of(
        "tags",
        column.codes,
        column.values,
        lambda slots: {s: str(values[s]).replace("'", '"') for s in slots},
    )

    assert [subsets.names for subsets in sets] == [("b",), ("a",), ("c" * 120,)]
    assert np.count_nonzero(sets[0].codes == 0) == 60
    assert {*sets[1].codes.tolist()} == {0, 1}


def test_positions_are_those_of_the_version(tagged):
    slots = live_positions.of_version(tagged, 1)

    assert np.count_nonzero(metadata.with_values(datasets.examples(tagged), [("tags", "hard")], slots)) == 4
