"""Arrays that workers store for large datasets, so that clusters and subsets need not read the examples."""

import random
from string import ascii_letters
from typing import Any

import numpy as np
import pytest

from evaluations import tasks
from evaluations.comparisons.grouping import clustering, groups, lengths
from evaluations.datasets import arrays, datasets, live_positions, stored_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.engine import queue
from evaluations.experiments import experiments, runs
from evaluations.models import Dataset, Example, ExampleArrays, Job, MetadataCodes
from evaluations.upkeep import purging

pytestmark = pytest.mark.django_db
STRETCH, SIZE = 40, 130
ARTICLE = "A passage that many questions share. " * 5


@pytest.fixture(autouse=True)
def _short_stretches(monkeypatch):
    monkeypatch.setattr(arrays, "STRETCH", STRETCH)


def example(number: int) -> dict[str, Any]:
    """A text, a number beside the same one as a text, truth, lists, a long text that repeats, gaps and an id."""
    metadata = {
        "topic": ("law", "tax")[number % 2],
        "level": (1, 2.5, "1", True, [1, 2])[number % 5],
        "passage": (ARTICLE, "short", "")[number % 3],
        "name": f"example {number}",
        "rare": "seldom" if number == 50 else None,
    }
    inputs = {"q": "x" * (number // 2 % 30)} if number % 7 else {}
    return {"inputs": inputs, "reference": {"a": "y" * (number % 4)}, "metadata": metadata}


@pytest.fixture
def large(project) -> Dataset:
    """Three full stretches, and ten examples."""
    return datasets.create(project, None, "large", [example(number) for number in range(SIZE)])


def store_all() -> None:
    stored_arrays.fill(seconds=60)


def forget() -> None:
    """Clear caches, as if the process had just started."""
    for module in (groups, clustering, lengths):
        module.process_cache.clear()


def positions_of(dataset: Dataset) -> Positions:
    return live_positions.of_version(dataset, dataset.version)


def as_read(dataset: Dataset) -> dict[str, Any]:
    """Everything that comparisons read from examples."""
    forget()
    dataset = Dataset.objects.get(pk=dataset.pk)
    columns, positions = clustering.metadata_columns(dataset), positions_of(dataset)
    by_column = groups.read(dataset, positions, columns)
    subsets = {name: column.subsets for name, column in by_column.items() if column.subsets}
    subsets |= {column.name: column for column in lengths.columns(dataset, positions)}
    labels = clustering.labels(dataset, positions, clustering.candidates(dataset, positions))
    return {
        "codes": {name: column.codes.tolist() for name, column in by_column.items()},
        "subsets": {
            name: (subset.names, subset.is_number, subset.codes.tolist()) for name, subset in subsets.items()
        },
        "labels": {name: column.tolist() for name, column in labels.items()},
    }


def blank(dataset: Dataset, last: int) -> None:
    """Overwrite the stored examples except the first, so that only stored arrays can be read."""
    stored = Example.objects.filter(dataset=dataset, position__range=(2, last))
    stored.update(inputs="{}", reference="{}", metadata="{}")


def firsts(dataset: Dataset) -> list[int]:
    return list(dataset.arrays.order_by("first").values_list("first", flat=True))


# ---- what is read ------------------------------------------------------------------------------------------


def test_stored_arrays_equal_arrays_from_examples(large):
    before = as_read(large)

    store_all()
    blank(large, last=3 * STRETCH)

    assert as_read(large) == before


def test_arrays_equal_the_rows(large):
    store_all()
    arrays_read = as_read(large)

    assert arrays_read["codes"]["topic"] == [number % 2 for number in range(SIZE)]
    assert arrays_read["codes"]["level"] == [number % 5 for number in range(SIZE)]
    assert arrays_read["codes"]["rare"] == [0 if number == 50 else -1 for number in range(SIZE)]
    assert arrays_read["subsets"]["passage"][0] == (ARTICLE, "short")
    assert arrays_read["subsets"]["level"][0] == ("1", "2.5", "1", "true", "[1, 2]")
    assert "name" not in arrays_read["subsets"]


def test_equal_inputs_have_one_label_in_stored_and_other_examples(large):
    store_all()

    labels = np.array(as_read(large)["labels"]["inputs"])

    texts = np.array([str(example(number)["inputs"]) for number in range(SIZE)])
    same_text = (texts[:, None] == texts) & (texts != "{}") | np.eye(SIZE, dtype=bool)
    assert ((labels[:, None] == labels) == same_text).all()


def test_examples_that_an_import_has_not_finished_count_nowhere(large):
    before = as_read(large)
    Example.objects.create(dataset=large, position=SIZE + 1, metadata='{"topic":"new"}', added_in=2)

    assert as_read(large) == before


def test_of_examples_that_were_removed_nothing_is_left(large):
    """A removed example leaves no trace, even if it was the only one with a value."""
    kept_numbers = [number for number in range(SIZE) if not 35 <= number < 60 and number != 0]
    for number in sorted(set(range(SIZE)) - set(kept_numbers)):
        large = datasets.remove(large, None, number + 1)
    fresh = datasets.create(large.project, None, "fresh", [example(number) for number in kept_numbers])
    store_all()

    arrays_read, expected = as_read(large), as_read(fresh)

    assert arrays_read["codes"] == expected["codes"]
    assert arrays_read["subsets"] == expected["subsets"]
    assert -1 not in arrays_read["codes"]["topic"]
    assert len(set(arrays_read["labels"]["inputs"])) == len(set(expected["labels"]["inputs"]))


# ---- what is stored ----------------------------------------------------------------------------------------


def test_full_stretches_are_stored_and_the_rest_is_read(large):
    store_all()

    assert firsts(large) == [1, 41, 81]


def test_a_small_dataset_is_not_stored(project):
    datasets.create(project, None, "small", [example(number) for number in range(STRETCH - 1)])

    store_all()

    assert not ExampleArrays.objects.exists()


def test_a_call_stores_for_its_time_and_the_next_goes_on(large):
    stored_arrays.fill(seconds=0)
    assert firsts(large) == [1]

    stored_arrays.fill(seconds=0)
    assert firsts(large) == [1, 41]


def test_a_sweep_stores_all_where_nothing_waits(large):
    tasks.sweep()

    assert firsts(large) == [1, 41, 81]


def test_a_sweep_stores_one_stretch_where_other_work_waits(large):
    run = runs.create(experiments.create(large.project, None, "e", large, []), None, "v", [])
    queue.add_job(run, Job.TEXT, [(1, SIZE, SIZE)])

    tasks.sweep()

    assert firsts(large) == [1]


def test_a_dataset_that_grows_gets_further_stretches(large):
    store_all()
    stored = list(ExampleArrays.objects.order_by("pk").values())

    datasets.append(large, None, [example(number) for number in range(SIZE, 170)])
    store_all()
    arrays_read = as_read(large)

    assert list(ExampleArrays.objects.order_by("pk").values())[:3] == stored
    assert firsts(large) == [1, 41, 81, 121]
    assert arrays_read["codes"]["topic"] == [number % 2 for number in range(170)]


def test_a_column_that_comes_later_is_read_where_examples_have_it(large):
    store_all()

    datasets.append(large, None, [{"metadata": {"late": "yes"}} for _ in range(STRETCH)])
    store_all()

    assert as_read(large)["codes"]["late"] == [-1] * SIZE + [0] * STRETCH


def test_readers_of_an_older_state_stop_at_its_end(large):
    older = Dataset.objects.get(pk=large.pk)
    before = as_read(large)["codes"]
    datasets.append(large, None, [example(number) for number in range(SIZE, 170)])
    store_all()
    forget()

    arrays_read = groups.read(older, positions_of(older), clustering.metadata_columns(older))

    assert {name: column.codes.tolist() for name, column in arrays_read.items()} == before


def test_two_workers_store_a_stretch_once(large):
    for _ in range(2):
        stored_arrays.store(large, 1)

    assert firsts(large) == [1]
    assert MetadataCodes.objects.filter(column="topic").count() == 1


def test_of_long_values_little_is_stored(project):
    chance = random.Random(3)
    notes = ["".join(chance.choices(ascii_letters, k=2_000)) for _ in range(STRETCH)]
    datasets.create(project, None, "notes", [{"metadata": {"note": note}} for note in notes])

    store_all()

    assert len(MetadataCodes.objects.get().values) < 50 * STRETCH


def test_deleted_and_unfinished_datasets_are_not_stored(large):
    unfinished = datasets.create(large.project, None, "importing", [example(1)] * STRETCH)
    Dataset.objects.filter(pk=unfinished.pk).update(status=Dataset.Status.IMPORTING)
    datasets.delete(large)

    store_all()

    assert not ExampleArrays.objects.exists()


def test_the_sweep_of_a_worker_stores_them(large):
    tasks.sweep()

    assert firsts(large) == [1, 41, 81]


def test_they_leave_with_the_dataset(large):
    store_all()
    Dataset.objects.filter(pk=large.pk).update(deleted_at="2020-01-01T00:00:00Z")

    purging.purge()

    assert not ExampleArrays.objects.exists()
    assert not MetadataCodes.objects.exists()
