"""Pages by cursor while others write: nothing that stays is skipped, nothing is shown twice."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluations.models import Dataset

from .conftest import Program

WRITES = st.lists(st.tuples(st.sampled_from(["add", "delete", "none"]), st.integers(0, 11)), max_size=12)


def listed(reader: Program, path: str, write, plan) -> list[int]:
    """The ids of all pages from the first to the last, with a write between every two."""
    seen, steps = [], iter(plan)
    while path:
        page = reader.get(path).json()
        seen += [row["id"] if "id" in row else row["position"] for row in page["results"]]
        write(*next(steps, ("none", 0)))
        path = page["next"]
    return seen


@given(plan=WRITES, size=st.integers(1, 5))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.django_db
def test_datasets_that_stay_are_each_listed_once(writer, plan, size):
    for row in writer.get("datasets/?page_size=1000").json()["results"]:
        writer.delete(f"datasets/{row['id']}/")
    ids = [writer.made("datasets/", {"name": f"d{n}", "examples": []})["id"] for n in range(12)]
    gone: set[int] = set()

    def write(what: str, which: int) -> None:
        if what == "add":
            writer.post("datasets/", {"name": f"new {Dataset.objects.count()}", "examples": []})
        elif what == "delete":
            writer.delete(f"datasets/{ids[which]}/")
            gone.add(ids[which])

    seen = listed(writer, f"datasets/?page_size={size}", write, plan)

    assert len(seen) == len(set(seen))
    assert set(ids) - gone <= set(seen)
    assert seen == sorted(seen, reverse=True)


@given(plan=WRITES, size=st.integers(1, 5))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.django_db
def test_examples_of_a_version_are_listed_as_they_were(writer, plan, size):
    name = f"walked {Dataset.objects.count()}"
    dataset = writer.made("datasets/", {"name": name, "examples": [{"inputs": f"{n}"} for n in range(12)]})[
        "id"
    ]

    def write(what: str, which: int) -> None:
        if what == "add":
            writer.post(f"datasets/{dataset}/examples/", {"examples": [{"inputs": "new"}]})
        elif what == "delete":
            writer.delete(f"datasets/{dataset}/examples/{which + 1}/")

    seen = listed(writer, f"datasets/{dataset}/examples/?version=1&page_size={size}", write, plan)

    assert seen == list(range(1, 13))
