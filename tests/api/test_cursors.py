"""Pagination by cursor while rows are written: no remaining row is skipped, none is shown twice."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluations.models import Dataset

from .conftest import Program

WRITES = st.lists(st.tuples(st.sampled_from(["add", "delete", "none"]), st.integers(0, 11)), max_size=12)


def listed(reader: Program, path: str, write, plan) -> list[int]:
    """The ids on all pages from first to last, with a write between every two pages."""
    ids, steps = [], iter(plan)
    while path:
        page = reader.get(path).json()
        ids += [row["id"] if "id" in row else row["position"] for row in page["results"]]
        write(*next(steps, ("none", 0)))
        path = page["next"]
    return ids


@pytest.mark.long
@given(plan=WRITES, size=st.integers(1, 5))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.django_db
def test_datasets_that_stay_are_each_listed_once(writer, plan, size):
    for row in writer.get("datasets/?page_size=1000").json()["results"]:
        writer.delete(f"datasets/{row['id']}/")
    ids = [writer.create("datasets/", {"name": f"d{n}", "examples": []})["id"] for n in range(12)]
    deleted: set[int] = set()

    def write(action: str, index: int) -> None:
        if action == "add":
            writer.post("datasets/", {"name": f"new {Dataset.objects.count()}", "examples": []})
        elif action == "delete":
            writer.delete(f"datasets/{ids[index]}/")
            deleted.add(ids[index])

    listed_ids = listed(writer, f"datasets/?page_size={size}", write, plan)

    assert len(listed_ids) == len(set(listed_ids))
    assert set(ids) - deleted <= set(listed_ids)
    assert listed_ids == sorted(listed_ids, reverse=True)


@pytest.mark.long
@given(plan=WRITES, size=st.integers(1, 5))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.django_db
def test_examples_of_a_version_are_listed_as_they_were(writer, plan, size):
    name = f"walked {Dataset.objects.count()}"
    dataset = writer.create("datasets/", {"name": name, "examples": [{"inputs": f"{n}"} for n in range(12)]})[
        "id"
    ]

    def write(action: str, index: int) -> None:
        if action == "add":
            writer.post(f"datasets/{dataset}/examples/", {"examples": [{"inputs": "new"}]})
        elif action == "delete":
            writer.delete(f"datasets/{dataset}/examples/{index + 1}/")

    positions = listed(writer, f"datasets/{dataset}/examples/?version=1&page_size={size}", write, plan)

    assert positions == list(range(1, 13))
