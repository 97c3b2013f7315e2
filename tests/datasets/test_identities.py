"""An example keeps its identity when it is edited, removed and put back, with or without a key."""

import pytest

from evaluations.datasets import datasets, identities, live_positions
from evaluations.errors import Conflict
from evaluations.models import Dataset
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def keyless(project) -> Dataset:
    """Three examples without keys, at the positions 1 to 3."""
    rows = [{"inputs": {"q": text}} for text in "abc"]
    return datasets.create(project, None, "keyless", rows)


def pairs(dataset: Dataset, source: int, target: int) -> list[tuple[int, int]]:
    """Positions of the same examples in two versions, where these differ."""
    positions = live_positions.of_version(dataset, source).every.tolist()
    both = zip(positions, identities.in_version(dataset, source, target).tolist(), strict=True)
    return [(position, identity) for position, identity in both if position != identity]


def test_an_edited_example_keeps_its_identity_without_a_key(keyless):
    edited = datasets.edit(keyless, None, 2, {"inputs": {"q": "B"}})

    assert (edited.position, edited.identity) == (4, 2)
    assert pairs(keyless, 1, 2) == [(2, 4)]
    assert pairs(keyless, 2, 1) == [(4, 2)]


def test_an_example_that_is_edited_twice_is_still_the_first(keyless):
    datasets.edit(keyless, None, 2, {"inputs": {"q": "B"}})
    datasets.edit(keyless, None, 4, {"inputs": {"q": "BB"}})

    assert pairs(keyless, 1, 3) == [(2, 5)]
    assert pairs(keyless, 2, 3) == [(4, 5)]


def test_nothing_moves_within_a_version_or_by_an_addition(keyless):
    datasets.append(keyless, None, [{"inputs": {"q": "d"}}])

    assert pairs(keyless, 1, 1) == pairs(keyless, 1, 2) == []


def test_a_key_that_was_changed_makes_no_other_example(project):
    dataset = factories.dataset(project)
    datasets.edit(dataset, None, 2, {"key": "another"})

    assert pairs(dataset, 1, 2) == [(2, 4)]


def test_a_removed_example_is_put_back_as_the_same_one(keyless):
    datasets.remove(keyless, None, 2)

    restored_example = datasets.put_back(keyless, None, 2)

    assert (restored_example.position, restored_example.inputs) == (4, '{"q":"b"}')
    assert (keyless.version, keyless.example_count) == (3, 3)
    assert pairs(keyless, 1, 3) == [(2, 4)]


def test_only_removed_examples_are_put_back_once(keyless):
    datasets.edit(keyless, None, 1, {"inputs": {"q": "A"}})
    datasets.remove(keyless, None, 2)
    datasets.put_back(keyless, None, 2)

    for position in (1, 2, 3):  # Edited, put back already, and never removed.
        with pytest.raises(Conflict) as refusal:
            datasets.put_back(keyless, None, position)
        assert refusal.value.code == "not_deleted"


def test_the_conflict_of_an_old_edit_names_the_example_s_new_position(keyless):
    datasets.edit(keyless, None, 2, {"inputs": {"q": "B"}})

    with pytest.raises(Conflict) as refusal:
        datasets.edit(keyless, None, 2, {"inputs": {"q": "too late"}})

    assert refusal.value.where["now"] == 4


def test_an_example_that_a_version_lacks_stands_where_it_began(keyless):
    datasets.edit(keyless, None, 2, {"inputs": {"q": "B"}})
    datasets.remove(keyless, None, 4)

    assert pairs(keyless, 2, 3) == [(4, 2)]
    assert pairs(keyless, 1, 3) == []
