"""Rows of a new dataset that repeat the contents of an earlier row: kept, skipped or refused."""

import pytest

from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.imports import imports, retries
from evaluations.models import Import, Output
from tests.factories import imported, jsonl, parked

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["q"], "reference": ["a"], "key": "id", "outputs": {"v1": "v1"}}
ROWS = [
    {"id": "a", "q": "1 + 1", "a": 2, "v1": "2"},
    {"id": "b", "q": "1 + 1", "a": 2, "v1": "two"},
    {"id": "c", "q": "1 + 1", "a": "2", "v1": "2"},  # A text is not a number.
    {"id": "d", "a": 2, "q": "1 + 1", "v1": "2"},
]


def keys(dataset) -> list[str]:
    return list(datasets.examples(dataset).values_list("key", flat=True))


def warned(dataset) -> list[tuple[str, int, list[int]]]:
    return [(warning["code"], warning["count"], warning["first_lines"]) for warning in dataset.warnings]


@pytest.mark.parametrize(("duplicates", "kept_keys"), [("keep", ["a", "b", "c", "d"]), ("skip", ["a", "c"])])
def test_duplicate_rows_are_counted_and_imported_or_left_out(project, duplicates, kept_keys):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING, duplicates=duplicates)

    assert (keys(dataset), dataset.example_count) == (kept_keys, len(kept_keys))
    assert warned(dataset) == [("duplicate_examples", 2, [2, 4])]
    assert Output.objects.count() == len(kept_keys)


@pytest.mark.parametrize("duplicates", ["keep", "skip"])
def test_the_same_duplicates_are_found_in_every_format(project, duplicates):
    """While they are kept, rows of CSV are compared as texts, other rows as values."""
    rows = [("1 + 1", "2"), ("1 + 1", ""), ("1 + 1", "2"), ("", "2"), ("1 + 1", ""), ("", "2")]
    csv = "q,a,v1\n" + "".join(f"{q},{a},{number}\n" for number, (q, a) in enumerate(rows))
    lines = jsonl(
        *({"q": q or None, "a": a or None, "v1": str(number)} for number, (q, a) in enumerate(rows))
    )
    mapping = {name: MAPPING[name] for name in ("inputs", "reference", "outputs")}

    as_csv = imported(project, csv, mapping=mapping, duplicates=duplicates, name="csv", filename="a.csv")
    as_lines = imported(project, lines, mapping=mapping, duplicates=duplicates, name="lines")

    assert warned(as_csv) == [("duplicate_examples", 3, [4, 6, 7])]
    assert warned(as_lines) == [("duplicate_examples", 3, [3, 5, 6])]


def test_duplicates_are_found_in_later_batches_too(project):
    rows = [{"id": n, "q": f"question {n % 7_000}", "a": n % 7_000, "v1": ""} for n in range(12_000)]

    dataset = imported(project, jsonl(*rows), mapping=MAPPING, duplicates="skip")

    assert dataset.example_count == 7_000
    assert [warning["count"] for warning in dataset.warnings] == [5_000]


def test_refused_duplicates_fail_the_file_or_are_left_out_for_download(project):
    failed = imported(project, jsonl(*ROWS), mapping=MAPPING, duplicates="fail")
    part = imported(project, jsonl(*ROWS), mapping=MAPPING, duplicates="fail", on_error="skip", name="part")

    assert (failed.status, failed.error_counts) == ("failed", {"duplicate_example": 2})
    assert (part.status, keys(part)) == ("ready", ["a", "c"])
    assert list(part.refused_rows.values_list("line", "code")) == [
        (2, "duplicate_example"),
        (4, "duplicate_example"),
    ]


def test_a_row_refused_for_its_key_takes_no_other_with_it(project):
    rows = [ROWS[0], {**ROWS[1], "id": "a", "q": "2 + 2"}, {**ROWS[1], "q": "2 + 2"}]

    dataset = imported(project, jsonl(*rows), mapping=MAPPING, duplicates="skip", on_error="skip")

    assert keys(dataset) == ["a", "b"]
    assert dataset.error_counts == {"duplicate_key": 1}


def test_a_repeated_import_treats_duplicates_as_before(project):
    failed = imported(project, jsonl(*ROWS) + "{", mapping=MAPPING, duplicates="skip")

    retries.retry(failed, None, "skip")
    imports.run_import(Import.objects.get().pk)
    failed.refresh_from_db()

    assert keys(failed) == ["a", "c"]


def test_a_file_with_a_row_for_each_variant_has_no_duplicates_to_skip(project):
    upload = parked(project, jsonl({"q": "x", "model": "m", "answer": "y"}))
    mapping = {"inputs": ["q"], "variant": "model", "output": "answer"}

    with pytest.raises(Invalid):
        imports.begin(upload, "long", mapping, duplicates="skip")


def test_examples_sent_as_json_are_treated_the_same(project):
    examples = [{"key": row["id"], "inputs": row["q"], "reference": row["a"]} for row in ROWS]

    whole = datasets.create(project, None, "kept", examples)
    skipped = datasets.create(project, None, "skipped", examples, duplicates="skip")
    with pytest.raises(Conflict) as refused:
        datasets.create(project, None, "refused", examples, duplicates="fail")

    assert (keys(whole), keys(skipped)) == (["a", "b", "c", "d"], ["a", "c"])
    assert warned(whole) == warned(skipped) == [("duplicate_examples", 2, [2, 4])]
    assert (refused.value.code, refused.value.where) == ("duplicate_example", {"example": 2})
