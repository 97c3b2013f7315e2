"""Files with one row for each variant and example."""

import pytest

from evaluations.errors import Invalid
from evaluations.imports import imports
from evaluations.imports.rows import incoming
from evaluations.models import Dataset, Example, Output, Run
from tests import factories
from tests.factories import imported, jsonl

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["src"], "reference": ["ref"], "variant": "system", "output": "text"}


def rows(systems: str, count: int, **more) -> list[dict]:
    return [
        {"system": system, "src": f"s{n}", "ref": f"r{n}", "text": f"{system}{n}"} | more
        for system in systems
        for n in range(count)
    ]


def outputs_by_variant() -> dict[str, dict[str, str]]:
    """{variant: {input: output}}"""
    inputs = dict(Example.objects.values_list("position", "inputs"))
    outputs: dict[str, dict[str, str]] = {}
    for variant, position, text in Output.objects.values_list("run__variant", "position", "text"):
        outputs.setdefault(variant, {})[inputs[position]] = text
    return outputs


@pytest.fixture(autouse=True, params=[1, 5_000])
def at_once(request, monkeypatch):
    """Rows stored at a time; their number changes no result."""
    monkeypatch.setattr(incoming, "AT_ONCE", request.param)


@pytest.mark.parametrize("order", ["by system", "by item"])
def test_rows_of_one_item_become_one_example_with_an_output_of_each_variant(project, order):
    lines = rows("ab", 700)
    if order == "by item":
        lines.sort(key=lambda row: row["src"])

    dataset = imported(project, jsonl(*lines), mapping=MAPPING)

    assert (dataset.status, dataset.example_count) == ("ready", 700)
    assert list(Run.objects.order_by("variant").values_list("variant", "output_count")) == [
        ("a", 700),
        ("b", 700),
    ]
    expected = {v: {f'{{"src":"s{n}"}}': f"{v}{n}" for n in range(700)} for v in "ab"}
    assert outputs_by_variant() == expected


def test_an_item_that_a_variant_lacks_has_no_output_of_it(project):
    dataset = imported(project, jsonl(*rows("a", 3), *rows("b", 2)), mapping=MAPPING)

    assert dataset.example_count == 3
    assert dict(Run.objects.values_list("variant", "output_count")) == {"a": 3, "b": 2}


def test_a_second_output_of_a_variant_for_an_item_is_refused_with_its_line(project):
    lines = [*rows("ab", 2), *rows("a", 1)]

    failed = imported(project, jsonl(*lines), mapping=MAPPING)
    imported_in_part = imported(project, jsonl(*lines), mapping=MAPPING, on_error="skip", name="kept")

    assert (failed.status, failed.errors[0]["code"]) == ("failed", "duplicate_output")
    assert failed.errors[0]["where"]["line"] == 5
    assert (imported_in_part.example_count, imported_in_part.error_counts) == (2, {"duplicate_output": 1})
    assert imported_in_part.refused_rows.get().line == 5


def test_a_row_that_names_no_variant_is_refused(project):
    lines = [*rows("ab", 2), {"system": " ", "src": "s9", "text": "x"}]

    dataset = imported(project, jsonl(*lines), mapping=MAPPING, on_error="skip")

    assert (dataset.example_count, dataset.error_counts) == (2, {"variant_missing": 1})


def test_rows_with_one_key_and_other_contents_are_not_one_example(project):
    lines = [*rows("ab", 1, id="k"), {"id": "k", "system": "c", "src": "other", "ref": "r", "text": "x"}]

    dataset = imported(project, jsonl(*lines), mapping=MAPPING | {"key": "id"}, on_error="skip")

    assert (dataset.example_count, dataset.error_counts) == (1, {"duplicate_key": 1})
    assert Example.objects.get().key == "k"


def test_more_variants_than_can_be_compared_end_the_import(project):
    lines = [{"system": f"v{n}", "src": "s", "text": "x"} for n in range(201)]

    dataset = imported(project, jsonl(*lines), mapping=MAPPING | {"reference": []})

    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "too_many_runs")


def test_variants_and_columns_of_outputs_exclude_each_other(project):
    upload = factories.parked(project, jsonl(*rows("ab", 2)))

    with pytest.raises(Invalid) as refusal:
        imports.begin(upload, "both", MAPPING | {"outputs": {"a": "text"}})

    assert refusal.value.code == "invalid_mapping"
    assert not Dataset.objects.exists()


def test_names_of_variants_lose_invisible_characters(project):
    imported(project, jsonl(*rows("a", 2, system="\u202ea")), mapping=MAPPING)

    assert list(Run.objects.values_list("variant", flat=True)) == ["a"]


def test_variants_that_look_the_same_stay_two(project):
    first, second = rows("a", 2), [row | {"system": "a\u200b"} for row in rows("b", 2)]

    imported(project, jsonl(*first, *second), mapping=MAPPING)

    assert outputs_by_variant() == {
        "a": {'{"src":"s0"}': "a0", '{"src":"s1"}': "a1"},
        "a 2": {'{"src":"s0"}': "b0", '{"src":"s1"}': "b1"},
    }


def test_a_row_whose_variant_is_invisible_is_refused(project):
    dataset = imported(project, jsonl(*rows("a", 2), *rows("b", 1, system="\u200b")), mapping=MAPPING)

    assert dataset.error_counts == {"variant_missing": 1}
