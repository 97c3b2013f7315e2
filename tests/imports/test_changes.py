"""Imports into an existing dataset: append, merge, mirror, and dry runs."""

import gzip
import json
import random
from collections import Counter
from typing import Any

import pytest
from django.core.files.storage import default_storage

from evaluations.datasets import datasets, differences
from evaluations.errors import Conflict, Invalid
from evaluations.experiments.matching import Keys
from evaluations.imports import changes, claims, forecasts, imports
from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.imports.rows import incoming, large_changes
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, DatasetImport, Example, Import
from tests import factories
from tests.factories import jsonl, parked

pytestmark = pytest.mark.django_db
KEYED = {"inputs": ["q"], "reference": ["a"], "key": "id"}
KEYLESS = {"inputs": ["q"], "reference": ["a"]}
COUNTS = ("added", "changed", "removed", "same", "duplicates")


def row(key: str, answer: Any = "yes", question: str = "") -> dict[str, Any]:
    return {"id": key, "q": question or f"question {key}", "a": answer}


ROWS = (row("a"), row("b"), row("c"))


@pytest.fixture
def dataset(project) -> Dataset:
    """Three examples with the keys a, b and c."""
    return factories.imported(project, jsonl(*ROWS), mapping=KEYED)


def change(dataset: Dataset, mode: str, *rows: dict[str, Any], **options: Any) -> DatasetImport:
    """Import a file of these rows into the dataset, in this process."""
    mapping = options.pop("mapping", KEYED)
    upload = parked(
        dataset.project, options.pop("content", jsonl(*rows)), options.pop("filename", "rows.jsonl")
    )
    ended = finished(changes.begin(upload, dataset, mode, mapping, **options))
    dataset.refresh_from_db()
    return ended


def finished(started: DatasetImport) -> DatasetImport:
    imports.run_import(Import.objects.get(change=started).pk)
    started.refresh_from_db()
    return started


def counts(ended: DatasetImport) -> dict[str, int]:
    """The counts that are not zero."""
    return {name: number for name in COUNTS if (number := getattr(ended, name))}


def content(dataset: Dataset, version: int | None = None) -> Counter[tuple[str | None, str, Any]]:
    """Key, question and answer of the examples of a version."""
    dataset.refresh_from_db()
    stored = datasets.examples(dataset, version).values_list("key", "inputs", "reference")
    return Counter(
        (key, json.loads(inputs)["q"], json.dumps(json.loads(ref)["a"])) for key, inputs, ref in stored
    )


def of_rows(*rows: dict[str, Any]) -> Counter[tuple[str | None, str, Any]]:
    return Counter((row.get("id"), row["q"], json.dumps(row["a"])) for row in rows)


# ---- the three modes -----------------------------------------------------------------------------------------


def test_an_append_adds_the_rows_that_the_dataset_lacks(dataset):
    ended = change(dataset, "append", row("c"), row("d"))

    assert (ended.status, counts(ended), ended.version) == ("ready", {"added": 1, "same": 1}, 2)
    assert content(dataset) == of_rows(*ROWS, row("d"))


def test_an_append_refuses_a_known_key_with_other_contents(dataset):
    ended = change(dataset, "append", row("c", "no"), row("d"))

    assert (ended.status, ended.error_counts, counts(ended)) == ("failed", {"duplicate_key": 1}, {})
    assert content(dataset) == of_rows(*ROWS)


def test_a_merge_changes_examples_by_key_and_keeps_the_others(dataset):
    ended = change(dataset, "merge", row("b", "no"), row("d"))

    assert (counts(ended), ended.version) == ({"added": 1, "changed": 1}, 2)
    assert content(dataset) == of_rows(row("a"), row("b", "no"), row("c"), row("d"))
    assert content(dataset, 1) == of_rows(*ROWS)


def test_a_mirror_makes_the_dataset_equal_to_the_file(dataset):
    ended = change(dataset, "mirror", row("d"), row("b", "no"), row("a"))

    assert counts(ended) == {"added": 1, "changed": 1, "removed": 1, "same": 1}
    assert content(dataset) == of_rows(row("a"), row("b", "no"), row("d"))
    assert content(dataset, 1) == of_rows(*ROWS)
    assert (dataset.version, dataset.example_count) == (2, 3)


def test_a_changed_example_keeps_its_identity_through_several_merges(dataset):
    change(dataset, "merge", row("b", "no"))
    change(dataset, "merge", row("b", "maybe"))

    now = datasets.examples(dataset).get(key="b")
    assert (now.position, now.identity) == (5, 2)


def test_an_example_that_comes_back_is_the_one_that_was_removed(dataset):
    change(dataset, "merge", row("b", "no"))
    change(dataset, "mirror", row("a"))

    change(dataset, "append", row("b", "again"), row("d"))

    now = {example.key: example.identity for example in datasets.examples(dataset)}
    assert now == {"a": 1, "b": 2, "d": 6}


@pytest.mark.parametrize("mode", ["append", "merge", "mirror"])
@pytest.mark.parametrize("mapping", [KEYED, KEYLESS], ids=["keys", "no keys"])
def test_the_same_file_twice_changes_nothing_and_makes_no_version(project, mode, mapping):
    first = factories.imported(project, jsonl(*ROWS), mapping=mapping)
    rows = (*ROWS, row("d"), row("d2", question="question d"))
    change(first, mode, *rows, mapping=mapping)
    before = content(first)

    again = change(first, mode, *rows, mapping=mapping)

    assert (counts(again), again.version) == ({"same": 5}, 2)
    assert content(first) == before
    assert first.versions.count() == 2


def test_without_keys_equal_rows_are_counted_one_by_one(project):
    first = factories.imported(project, jsonl(row("x"), row("x"), row("y")), mapping=KEYLESS)

    ended = change(first, "mirror", row("x"), row("x"), row("x"), mapping=KEYLESS)

    assert counts(ended) == {"added": 1, "removed": 1, "same": 2, "duplicates": 1}
    assert sorted(content(first).values()) == [3]


def test_a_file_with_keys_gives_them_to_examples_with_the_same_contents(project):
    first = factories.imported(project, jsonl(*ROWS), mapping=KEYLESS)

    ended = change(first, "merge", *ROWS, row("d"))

    assert counts(ended) == {"added": 1, "changed": 3}
    assert content(first) == of_rows(*ROWS, row("d"))
    assert datasets.examples(first).get(key="a").identity == 1


@pytest.mark.parametrize(
    ("value", "is_same"),
    [
        ({"a": "yes", "q": "question a", "id": "a"}, True),
        ({"id": "a", "q": "question a", "a": "yes", "more": None}, True),
        ({"id": "a", "q": "question a", "a": "yes", "more": ""}, False),
        ({"id": "a", "q": "question a", "a": 1}, False),
        ({"id": "a", "q": "question a", "a": " yes"}, False),
    ],
    ids=["order of columns", "null", "empty text", "number", "blank"],
)
def test_contents_are_the_same_by_value_and_type(dataset, value, is_same):
    ended = change(
        dataset, "merge", value, mapping=KEYED | {"metadata": ["more"]} if "more" in value else KEYED
    )

    assert counts(ended) == ({"same": 1} if is_same else {"changed": 1})


@pytest.mark.parametrize("numbers", [(2**60, 2**60 + 1), (1, 1.0), (1, True), (0, None)])
def test_values_that_look_alike_differ(project, numbers):
    first = factories.imported(project, jsonl(row("a", numbers[0])), mapping=KEYED)

    assert counts(change(first, "merge", row("a", numbers[1]))) == {"changed": 1}
    assert counts(change(first, "merge", row("a", numbers[1]))) == {"same": 1}


def test_without_a_mapping_columns_are_what_they_are_in_the_dataset(dataset):
    ended = change(dataset, "mirror", *ROWS, mapping=None)

    assert counts(ended) == {"same": 3}


# ---- dry runs ------------------------------------------------------------------------------------------------


def test_a_dry_run_changes_nothing_and_counts_what_the_import_then_does(dataset):
    rows = (row("a"), row("b", "no"), row("d"), row("e", question="question d"))

    tried = change(dataset, "mirror", *rows, dry_run=True)
    assert (content(dataset), dataset.version) == (of_rows(*ROWS), 1)
    applied = finished(changes.apply(tried, None))

    assert counts(tried) == counts(applied) == {
        "added": 2, "changed": 1, "removed": 1, "same": 1, "duplicates": 1,
    }  # fmt: skip
    assert (tried.first, tried.version, applied.version) == (applied.first, 1, 2)
    assert content(dataset) == of_rows(*rows)


def test_a_dry_run_shows_the_first_of_each_kind(dataset):
    tried = change(dataset, "mirror", row("a", "no"), row("d"), dry_run=True)

    def parts(answer: str, key: str) -> dict[str, Any]:
        return {"inputs": {"q": f"question {key}"}, "reference": {"a": answer}, "metadata": {}}

    assert tried.first["added"] == [{"key": "d", "after": parts("yes", "d")}]
    assert tried.first["changed"] == [{"key": "a", "before": parts("yes", "a"), "after": parts("no", "a")}]
    assert [row["key"] for row in tried.first["removed"]] == ["b", "c"]


def test_a_dry_run_is_not_applied_to_a_dataset_that_changed_since(dataset):
    tried = change(dataset, "mirror", row("d"), dry_run=True)
    datasets.remove(dataset, None, 1)
    tried.refresh_from_db()

    with pytest.raises(Conflict) as refusal:
        changes.apply(tried, None)

    assert refusal.value.code == "changed_meanwhile"
    assert default_storage.exists(tried.upload.stored_as)


def test_an_import_is_applied_once(dataset):
    tried = change(dataset, "append", row("d"), dry_run=True)
    finished(changes.apply(tried, None))
    tried.refresh_from_db()

    with pytest.raises(Conflict) as refusal:
        changes.apply(tried, None)

    assert refusal.value.code == "upload_gone"


def test_a_dry_run_warns_where_most_of_the_dataset_would_change_or_go(dataset):
    maximum = change(dataset, "mirror", row("a"), row("b", "no"), dry_run=True)
    less = change(dataset, "mirror", row("a"), row("b"), dry_run=True)

    assert [(warning["code"], warning["count"]) for warning in maximum.warnings] == [("most_changed", 2)]
    assert less.warnings == []


@pytest.mark.parametrize("mode", ["append", "merge", "mirror"])
@pytest.mark.parametrize("seed", range(4))
def test_the_forecast_of_a_file_has_the_warnings_of_its_dry_run(project, seed, mode):
    chance = random.Random(seed)
    before, after = (
        jsonl(*(row(f"{key}{n}", n % 7, f"question {n}") for n in range(40) if chance.random() < share))
        for key, share in (("", 0.9), (chance.choice(["", "new"]), 0.3 + 0.4 * (seed % 2)))
    )
    dataset = factories.imported(project, before, mapping=KEYED)
    upload = parked(project, after)
    columns = ColumnMap.check(uploads.preview(upload).columns, KEYED)

    outlook = forecasts.forecast(upload, columns, dataset, changes=True)

    tried = change(dataset, mode, content=after, dry_run=True)

    assert outlook.effects is not None
    effects = outlook.effects[mode]
    assert large_changes.warnings(effects, dataset.example_count) == tried.warnings
    assert {kind: getattr(tried, kind) for kind in ("added", "changed", "removed")} == {
        kind: effects[kind] for kind in ("added", "changed", "removed")
    }


def test_a_file_or_dataset_that_takes_long_to_count_has_no_forecast_of_effects(dataset, monkeypatch):
    monkeypatch.setattr(forecasts, "LOOKED_AT", 2)
    upload = parked(dataset.project, jsonl(row("x")))
    columns = ColumnMap.check(uploads.preview(upload).columns, KEYED)

    assert forecasts.forecast(upload, columns, dataset, changes=True).effects is None


# ---- duplicates ----------------------------------------------------------------------------------------------

EQUAL_ROWS = (row("d", question="question a"), row("e"), row("f", question="question e"))  # d is a, f is e


@pytest.mark.parametrize(
    ("duplicates", "status", "expected"),
    [
        ("keep", "ready", {"added": 3, "duplicates": 2}),
        ("skip", "ready", {"added": 1, "duplicates": 2}),
        ("fail", "failed", {}),
    ],
)
def test_rows_with_the_contents_of_another_example_are_kept_skipped_or_refused(
    dataset, duplicates, status, expected
):
    ended = change(dataset, "merge", *EQUAL_ROWS, duplicates=duplicates)

    assert (ended.status, counts(ended)) == (status, expected)
    assert ended.error_counts == ({"duplicate_example": 2} if status == "failed" else {})


@pytest.mark.parametrize("index", [0, 1, 3])
def test_a_copy_is_a_duplicate_wherever_it_stands(dataset, index):
    rows = [*ROWS]
    rows.insert(index, row("copy", question="question a"))

    ended = change(dataset, "mirror", *rows, duplicates="skip")

    assert counts(ended) == {"same": 3, "duplicates": 1}
    assert content(dataset) == of_rows(*ROWS)


def test_skipped_duplicates_are_skipped_the_second_time_as_well(dataset):
    change(dataset, "mirror", *EQUAL_ROWS, duplicates="skip")

    again = change(dataset, "mirror", *EQUAL_ROWS, duplicates="skip")

    assert (counts(again), again.version) == ({"same": 2, "duplicates": 1}, 2)


def test_an_example_that_would_become_a_skipped_duplicate_is_removed_by_a_mirror(dataset):
    ended = change(dataset, "mirror", row("a"), row("b", question="question a"), duplicates="skip")

    assert counts(ended) == {"same": 1, "removed": 2, "duplicates": 1}
    assert content(dataset) == of_rows(row("a"))


# ---- another key for the same contents ------------------------------------------------------------------------

RENAMED = (row("new", question="question a"), row("b"), row("c"))


def test_a_mirror_and_its_diff_both_show_a_changed_key(dataset):
    tried = change(dataset, "mirror", *RENAMED, dry_run=True)
    ended = change(dataset, "mirror", *RENAMED)

    assert counts(tried) == counts(ended) == {"changed": 1, "same": 2}
    assert [difference.kind for difference in differences.between(dataset, 1, 2)] == ["changed"]
    assert (ended.first["changed"][0]["key_before"], ended.first["changed"][0]["key"]) == ("a", "new")
    assert datasets.examples(dataset).get(key="new").identity == 1


def test_a_key_that_comes_back_does_not_take_the_example_that_goes_by_another_now(dataset):
    change(dataset, "mirror", *RENAMED)

    change(dataset, "merge", row("a", "other contents"))

    assert {example.key: example.identity for example in datasets.examples(dataset)} == {
        "b": 2, "c": 3, "new": 1, "a": 5,
    }  # fmt: skip


def test_of_two_keys_of_one_removed_example_the_last_brings_it_back(dataset):
    change(dataset, "mirror", *RENAMED)
    change(dataset, "mirror", row("b"), row("c"))

    change(dataset, "merge", row("a"), row("new", "other contents"))

    assert {example.key: example.identity for example in datasets.examples(dataset)} == {
        "b": 2, "c": 3, "a": 5, "new": 1,
    }  # fmt: skip


def test_of_several_removed_examples_each_comes_back_by_its_own_key(dataset):
    change(dataset, "mirror", *RENAMED)
    change(dataset, "merge", row("b", "no"))
    change(dataset, "mirror", row("c"))

    change(dataset, "merge", row("new", "other contents"), row("b", "again"))

    assert {example.key: example.identity for example in datasets.examples(dataset)} == {
        "c": 3, "new": 1, "b": 2,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_counts_of_a_mirror_equal_the_diff_of_versions(project, seed, monkeypatch):
    monkeypatch.setattr(incoming, "AT_ONCE", 2)
    chance = random.Random(seed)
    files = [
        [row(key, question=chance.choice("XYZ")) for key in chance.sample("abcdefgh", 6)] for _ in range(3)
    ]
    mirrored = factories.imported(project, jsonl(*files[0]), mapping=KEYED)

    for file in files[1:]:
        ended = change(mirrored, "mirror", *file, duplicates=chance.choice(["keep", "skip"]))

        diff = differences.between(mirrored, ended.base, ended.version)
        assert +Counter(differences.counts(diff)) == {
            kind: number for kind, number in counts(ended).items() if kind not in ("same", "duplicates")
        }


# ---- refusals ------------------------------------------------------------------------------------------------


def test_a_key_twice_in_one_file_is_refused(dataset):
    ended = change(dataset, "merge", row("b", "no"), row("b"), row("d"), row("d", "no"))

    assert (ended.status, ended.error_counts) == ("failed", {"duplicate_key": 2})
    assert [error["where"]["line"] for error in ended.errors] == [2, 4]


def test_bad_rows_can_be_left_out_of_a_merge_and_downloaded(dataset):
    ended = change(dataset, "merge", row("d"), row("d", "no"), on_error="skip")

    assert (ended.status, counts(ended), ended.error_count) == ("ready", {"added": 1}, 1)
    assert ended.refused_rows.get().cells == {"id": "d", "q": "question d", "a": "no"}
    assert not dataset.refused_rows.filter(change=None).exists()


def test_a_mirror_leaves_no_row_out(dataset):
    with pytest.raises(Invalid) as refusal:
        change(dataset, "mirror", row("d"), on_error="skip")

    assert refusal.value.code == "invalid_choice"


BAD_FILES = {
    "no rows": b"",
    "a broken line": jsonl(row("a", "no")).encode() + b'{"id": "d", "q"\n',
    "cut in the middle": gzip.compress(jsonl(row("a", "no"), row("d")).encode())[:-12],
    "an array": jsonl(row("a", "no")).encode() + b"[1, 2]\n",
    "a key twice": jsonl(row("a", "no"), row("d"), row("d")).encode(),
}


@pytest.mark.parametrize("mode", ["append", "merge", "mirror"])
@pytest.mark.parametrize("content_of_file", BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_loses_nothing(dataset, mode, content_of_file, monkeypatch):
    monkeypatch.setattr(incoming, "AT_ONCE", 1)
    before = list(Example.objects.order_by("position").values())

    try:
        ended = change(dataset, mode, content=content_of_file)
    except Invalid:
        pass  # refused before anything was read
    else:
        assert (ended.status, counts(ended)) == ("failed", {})
    dataset.refresh_from_db()
    assert list(Example.objects.order_by("position").values()) == before
    assert (dataset.status, dataset.version, dataset.imports.count()) == ("ready", 1, 0)


def test_a_file_that_is_refused_leaves_all_its_bad_rows_for_download(dataset):
    bad = jsonl(row("d"), row("d", "no")) + "[1, 2]\n"

    ended = change(dataset, "merge", content=bad)

    assert ended.status == "failed"
    assert [(refused.code, len(refused.cells)) for refused in ended.refused_rows.all()] == [
        ("duplicate_key", 3),
        ("json_not_an_object", 1),
    ]


@pytest.mark.parametrize("mode", ["merge", "mirror"])
def test_a_file_without_keys_neither_merges_nor_mirrors_examples_that_have_them(dataset, mode):
    with pytest.raises(Invalid) as refusal:
        change(dataset, mode, row("d"), mapping=KEYLESS)

    assert refusal.value.code == "key_needed"


def test_two_files_cannot_be_read_into_one_dataset_at_once(dataset):
    changes.begin(parked(dataset.project, jsonl(row("d"))), dataset, "mirror", KEYED)

    with pytest.raises(Conflict) as refusal:
        changes.begin(parked(dataset.project, jsonl(row("e"))), dataset, "mirror", KEYED)

    assert refusal.value.code == "dataset_not_ready"
    assert DatasetImport.objects.count() == 1


# ---- restoring an older version ------------------------------------------------------------------------------


@pytest.mark.parametrize("mapping", [KEYED, KEYLESS], ids=["keys", "no keys"])
def test_an_older_version_is_restored_with_and_without_keys(project, mapping):
    dataset = factories.imported(project, jsonl(*ROWS), mapping=mapping)
    before = content(dataset)
    change(dataset, "mirror", row("b"), row("c", "no"), row("d"), mapping=mapping)

    ended = finished(changes.restore(dataset, 1, None))

    assert (ended.status, ended.version, content(dataset)) == ("ready", 3, before)


# ---- during an import ----------------------------------------------------------------------------------------


class Stopped(Exception):
    pass


def test_keys_of_the_version_before_are_known_while_a_merge_goes_on(dataset, monkeypatch):
    experiment = factories.experiments.create(dataset.project, None, "which", dataset)
    changes.begin(parked(dataset.project, jsonl(row("b", "no"))), dataset, "merge", KEYED)

    def stop(job: Import) -> None:
        raise Stopped

    monkeypatch.setattr(claims, "end", stop)
    with pytest.raises(Stopped):
        imports.run_import(Import.objects.get().pk)

    assert Keys(experiment).positions(["a", "b"]) == {"a": 1, "b": 2}
    assert content(dataset) == of_rows(*ROWS)


# ---- against a script ----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("mode", ["merge", "mirror"])
def test_twelve_weekly_uploads_equal_a_dictionary(project, mode, monkeypatch):
    monkeypatch.setattr(incoming, "AT_ONCE", 7)
    chance, state = random.Random(20), {f"k{n}": row(f"k{n}", n) for n in range(60)}
    weekly = factories.imported(project, jsonl(*state.values()), mapping=KEYED)
    history = [dict(state)]
    for week in range(12):
        sent_rows = {key: values for key, values in state.items() if chance.random() > 0.1}
        sent_rows |= {key: row(key, week) for key in sent_rows if chance.random() < 0.1}
        sent_rows |= {key: row(key, week) for key in (f"w{week}-{n}" for n in range(5))}
        rows = chance.sample(list(sent_rows.values()), len(sent_rows))

        ended = change(weekly, mode, *rows)

        new = sent_rows if mode == "mirror" else state | sent_rows
        assert counts(ended) == {
            name: number
            for name, number in {
                "added": len(new.keys() - state.keys()),
                "changed": sum(new[key] != state[key] for key in new.keys() & state.keys()),
                "removed": len(state.keys() - new.keys()),
                "same": sum(sent_rows[key] == state[key] for key in sent_rows.keys() & state.keys()),
            }.items()
            if number
        }
        state = new
        history.append(dict(state))
    for version, rows in enumerate(history, 1):
        assert content(weekly, version) == of_rows(*rows.values())
