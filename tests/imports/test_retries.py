"""Failed imports keep file, mapping and every reason, and can be repeated in another way."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage

from evaluations import disk_space, owned
from evaluations.datasets import datasets
from evaluations.errors import Conflict
from evaluations.imports import imports, retries
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Example, Experiment, FailedImport, Import, Run
from tests import factories
from tests.factories import imported, jsonl

pytestmark = pytest.mark.django_db
GOOD = ({"id": "a", "q": "1+1", "v1": "2"}, {"id": "b", "q": "1+2", "v1": "4"})
MAPPING = {"inputs": ["q"], "key": "id", "outputs": {"v1": "v1"}}
MESSY = jsonl(GOOD[0]) + "{\n" + jsonl(GOOD[0]) + "nonsense\n" + jsonl(GOOD[1])


def import_all() -> None:
    for pk in Import.objects.values_list("pk", flat=True):
        imports.run_import(pk)


def test_all_problems_are_counted_also_keys_after_a_line_that_cannot_be_read(project):
    dataset = imported(project, MESSY, mapping=MAPPING)

    assert dataset.error_counts == {"json_unclosed": 1, "duplicate_key": 1, "json_invalid": 1}
    assert dataset.error_count == 3
    assert {error["code"] for error in dataset.errors} == set(dataset.error_counts)


def test_the_good_rows_of_a_failed_import_can_be_imported(project):
    failed = imported(project, MESSY, mapping=MAPPING)

    retries.retry(failed, None)
    import_all()

    failed.refresh_from_db()
    assert (failed.status, failed.example_count, failed.error_count) == ("ready", 2, 3)
    assert list(Run.objects.values_list("variant", "output_count")) == [("v1", 2)]
    assert not FailedImport.objects.exists()


def test_a_repeated_import_scores_with_the_evaluators_of_the_first(project):
    older, newer = factories.evaluator(project), factories.evaluator(project, "chrf")
    upload = factories.parked(project, MESSY)
    failed = imports.begin(upload, "messy", MAPPING, evaluators=[newer, older])
    import_all()

    retries.retry(failed, None)

    experiment = Experiment.objects.get()
    links = experiment.evaluator_links.all()
    assert [link.evaluator_version.evaluator for link in links] == [newer, older]
    assert experiment.primary == newer


def test_the_columns_can_be_mapped_again(project, alice):
    failed = imported(project, MESSY, mapping=MAPPING)
    upload = retries.reopen(failed, alice)

    retries.begin_again(upload, failed, "keyless", {"inputs": ["q"]}, on_error="skip", user=alice)
    import_all()

    failed.refresh_from_db()
    assert (failed.name, failed.status, failed.example_count) == ("keyless", "ready", 3)


def test_a_reopened_file_that_nobody_confirms_stays_with_the_failed_import(project, alice):
    failed = imported(project, MESSY, mapping=MAPPING)
    upload = retries.reopen(failed, alice)
    upload.touched_at -= uploads.KEPT_FOR + timedelta(seconds=1)
    upload.save()

    uploads.forget_unconfirmed()

    assert default_storage.exists(FailedImport.objects.get().stored_as)


def test_a_failed_append_can_be_repeated_without_its_bad_rows(project):
    dataset = imported(project, jsonl(*GOOD), mapping=MAPPING)
    upload = factories.parked(project, jsonl(GOOD[1], {"id": "c", "q": "1+3"}))
    imports.begin_append(upload, dataset, {"inputs": ["q"], "key": "id"})
    import_all()

    retries.retry(Dataset.objects.get(), None)
    import_all()

    dataset.refresh_from_db()
    assert (dataset.version, dataset.example_count, dataset.error_count) == (2, 3, 1)


def test_only_a_failed_import_can_be_repeated(project):
    dataset = imported(project, jsonl(*GOOD), mapping=MAPPING)

    with pytest.raises(Conflict) as refusal:
        retries.retry(dataset, None)

    assert refusal.value.code == "no_failed_import"


def test_a_failed_dataset_whose_name_was_taken_meanwhile_says_so(project):
    failed = imported(project, MESSY, mapping=MAPPING, name="sums")
    imported(project, jsonl(*GOOD), mapping=MAPPING, name="sums")

    with pytest.raises(Conflict) as refusal:
        retries.retry(failed, None)

    assert refusal.value.code == "name_taken"
    assert FailedImport.objects.count() == 1


def test_a_file_that_failed_is_forgotten_after_seven_days(project):
    imported(project, MESSY, mapping=MAPPING)
    FailedImport.objects.update(failed_at=FailedImport.objects.get().failed_at - owned.UNDO)

    uploads.forget_orphans()

    assert not FailedImport.objects.exists()


# ---- a key column that nobody chose ----


@pytest.mark.long
@pytest.mark.parametrize("rows", [3, 30_000])
def test_an_id_that_repeats_is_metadata_unless_it_was_chosen_as_the_key(project, rows):
    repeated_ids = jsonl(*({"id": str(number // 2), "question": "q"} for number in range(rows)))

    dataset = imported(project, repeated_ids)

    assert (dataset.status, dataset.example_count) == ("ready", rows)
    assert dataset.columns["metadata"] == ["id"]
    assert "key_not_unique" in [warning["code"] for warning in dataset.warnings]


# ---- columns that nobody recognised ----


NOT_RECOGNISED = "columns_not_recognised"


@pytest.mark.parametrize(
    "file",
    [
        b"question^answer\nwhy?^so\n",
        b"Report,,\nquestion,answer,\nwhy?,so,\n",
        b'{"error": {"code": 404}}',
    ],
)
def test_a_dataset_of_metadata_alone_has_a_warning(project, file):
    dataset = imported(project, file, "export.txt")

    assert NOT_RECOGNISED in [warning["code"] for warning in dataset.warnings]


def test_metadata_alone_that_was_chosen_has_no_such_warning(project):
    dataset = imported(project, jsonl(GOOD[0]), mapping={"metadata": ["q"]})

    assert NOT_RECOGNISED not in [warning["code"] for warning in dataset.warnings]


def test_an_id_that_was_chosen_as_the_key_must_not_repeat(project):
    dataset = imported(project, jsonl(GOOD[0], GOOD[0]), mapping={"inputs": ["q"], "key": "id"})

    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "duplicate_key")


# ---- a full disk ----


@pytest.mark.long
def test_an_import_ends_before_the_disk_is_full_and_leaves_no_rows(project, monkeypatch):
    free = iter([10**9, 10**9, uploads.RESERVE - 1])
    monkeypatch.setattr(disk_space, "reusable_bytes", lambda: 0)
    monkeypatch.setattr(uploads, "lowest_free_space", lambda: next(free))

    dataset = imported(project, jsonl(*({"q": "x" * 100_000} for _ in range(400))))

    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "storage_full")
    assert not Example.objects.exists()


# ---- names ----


def test_the_experiment_of_a_dataset_with_the_longest_name_has_room_for_a_number(project):
    imported(project, jsonl(*GOOD), mapping=MAPPING, name="x" * 200)
    datasets.delete(Dataset.objects.get())
    Experiment.objects.update(deleted_at=None)

    imported(project, jsonl(*GOOD), mapping=MAPPING, name="x" * 200)

    names = set(Experiment.objects.values_list("name", flat=True))
    assert names == {"x" * 200, "x" * 198 + " 2"}
