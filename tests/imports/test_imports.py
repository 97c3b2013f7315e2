"""Imports of files into datasets and outputs: all or nothing."""

import io
import json
import os
import signal
from collections.abc import Iterator

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import OperationalError, connection

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid
from evaluations.experiments import runs
from evaluations.imports import changes, claims, imports
from evaluations.imports.rows import incoming, read_ahead
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Example, Experiment, Import, Output, Run, Upload
from evaluations.scoring import scoring
from tests import factories
from tests.factories import imported, jsonl

pytestmark = pytest.mark.django_db
ROWS = (
    {"id": "a", "question": "1+1", "answer": "2", "v1": "2"},
    {"id": "b", "question": "1+2", "answer": "3", "v1": "4"},
)
MAPPING = {"inputs": ["question"], "reference": ["answer"], "key": "id"}


@pytest.fixture(autouse=True, params=["the worker", "a process of its own"])
def reader(request, monkeypatch):
    """Reading in this process, or in a process of its own; results are equal."""
    if request.param != "the worker":
        monkeypatch.setattr(incoming, "LARGE", 0)


def parked(project, content: str, filename: str = "rows.jsonl") -> Upload:
    return uploads.park(project, None, File(io.BytesIO(content.encode()), name=filename))


def test_rows_become_examples_in_file_order(project):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING)

    assert dataset.status == Dataset.Status.READY
    examples = datasets.examples(dataset).values_list("position", "key", "inputs", "reference")
    assert list(examples) == [
        (1, "a", '{"question":"1+1"}', '{"answer":"2"}'),
        (2, "b", '{"question":"1+2"}', '{"answer":"3"}'),
    ]


@pytest.mark.parametrize("cell", ["007", "NA", "1e5", "two\nlines", "🙂", "'x", "=1+1", " padded "])
def test_cells_of_a_csv_stay_the_text_they_were(project, cell):
    quoted = cell.replace('"', '""')

    dataset = imported(project, f'question,answer\n"{quoted}",yes\n', "rows.csv")

    assert json.loads(datasets.examples(dataset).get().inputs) == {"question": cell}


def test_an_empty_cell_is_null_by_default(project):
    dataset = imported(project, "question,answer\nq1,\n", "rows.csv")

    assert json.loads(datasets.examples(dataset).get().reference) == {"answer": None}


def test_well_known_names_are_mapped_by_default(project):
    dataset = imported(project, jsonl({"id": 7, "input": "q", "expected": "a", "topic": "x"}))

    assert dataset.columns == {"inputs": ["input"], "reference": ["expected"], "metadata": ["topic"]}
    assert datasets.examples(dataset).get().key == "7"


def test_outputs_known_by_their_names_become_runs_without_a_mapping(project):
    row = {
        "input": "q",
        "expected": "a",
        "output": "b",
        "gpt-4 response": "c",
        "6b": {"solution": "d"},
        "n": 1,
    }

    dataset = imported(project, jsonl(row, row))

    texts = Output.objects.filter(run__experiment__dataset=dataset, position=2).values_list(
        "run__variant", "text"
    )
    assert dict(texts) == {"output": "b", "gpt-4": "c", "6b": "d"}
    assert dataset.columns == {"inputs": ["input"], "reference": ["expected"], "metadata": ["n"]}


def test_output_items_of_openai_are_mapped_without_a_mapping(project):
    item = {"question": "q", "answer": "a"}
    sample = {"output": [{"role": "assistant", "content": "b"}], "usage": {}}
    row = {
        "object": "eval.run.output_item",
        "id": "o1",
        "datasource_item": item,
        "sample": sample,
        "status": "pass",
    }

    dataset = imported(project, jsonl(row))

    assert dataset.columns == {"inputs": ["datasource_item"], "reference": [], "metadata": ["status"]}
    assert Output.objects.get(run__experiment__dataset=dataset).text == "b"
    assert datasets.examples(dataset).get().key == "o1"


def test_columns_that_a_mapping_does_not_name_are_left_out_with_a_warning(project):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING)

    assert [(w["code"], w["count"]) for w in dataset.warnings] == [("columns_left_out", 1)]
    assert "v1" in dataset.warnings[0]["message"]


def test_the_error_of_an_unknown_column_names_the_columns_of_the_file(project):
    with pytest.raises(Invalid, match="question, answer, v1") as refusal:
        imported(project, jsonl(*ROWS), mapping={"inputs": ["prompt"]})

    assert refusal.value.code == "missing_column"
    assert not Dataset.objects.exists()


def test_outputs_make_an_experiment_with_a_completed_run_for_each_variant(project):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING | {"outputs": {"first": "v1"}})

    run = Run.objects.get(experiment__dataset=dataset)
    assert (run.variant, run.status, run.output_count) == ("first", "completed", 2)
    assert list(run.outputs.order_by("position").values_list("text", flat=True)) == ["2", "4"]


def test_columns_of_variants_that_look_the_same_stay_two(project):
    imported(project, jsonl(*ROWS), mapping=MAPPING | {"outputs": {"first\u200b": "v1", "first": "answer"}})

    outputs = Output.objects.filter(position=2).values_list("run__variant", "text")
    assert dict(outputs) == {"first 2": ROWS[1]["v1"], "first": ROWS[1]["answer"]}


def test_a_row_without_an_output_is_not_counted_as_one(project):
    rows = ({"q": "1", "v1": "one"}, {"q": "2", "v1": None}, {"q": "3"})

    imported(project, jsonl(*rows), mapping={"inputs": ["q"], "outputs": {"v1": "v1"}})

    run = Run.objects.get()
    assert run.output_count == 1
    assert list(run.outputs.values_list("position", "text")) == [(1, "one")]


def test_outputs_are_found_by_a_path_into_nested_rows(project):
    row = {"question": "q", "answer": "a", "6b_model": {"solution": "deep"}}

    dataset = imported(
        project, jsonl(row), mapping={"inputs": ["question"], "outputs": {"6b": "$.6b_model.solution"}}
    )

    assert Output.objects.get(run__experiment__dataset=dataset).text == "deep"


def test_an_output_that_is_not_a_text_is_kept_as_json(project):
    dataset = imported(
        project,
        jsonl({"question": "q", "v1": {"b": 1, "a": [2]}}),
        mapping={"inputs": ["question"], "outputs": {"v1": "v1"}},
    )

    output = Output.objects.get(run__experiment__dataset=dataset)
    assert (output.text, output.is_json) == ('{"a": [2], "b": 1}', True)


def test_nothing_is_listed_before_the_import_ends(project):
    upload = parked(project, jsonl(*ROWS))

    dataset = imports.begin(upload, "waiting", MAPPING)

    assert dataset.status == Dataset.Status.IMPORTING
    assert dataset.version == 0
    assert not datasets.examples(dataset).exists()


def test_a_file_with_a_bad_line_leaves_no_rows(project):
    dataset = imported(project, jsonl(ROWS[0]) + '{"id": "b", \n' + jsonl(ROWS[1]), mapping=MAPPING)

    assert dataset.status == Dataset.Status.FAILED
    assert dataset.errors[0]["where"]["line"] == 2
    assert dataset.errors[0]["hint"]
    assert not Example.objects.exists()


def test_good_rows_are_imported_when_that_was_chosen(project):
    dataset = imported(project, jsonl(ROWS[0]) + "{\n" + jsonl(ROWS[1]), mapping=MAPPING, on_error="skip")

    assert (dataset.status, dataset.example_count, dataset.error_count) == ("ready", 2, 1)
    assert list(datasets.examples(dataset).values_list("position", flat=True)) == [1, 2]


def test_a_duplicate_key_refuses_the_file_and_is_named(project):
    dataset = imported(project, jsonl(ROWS[0], ROWS[1], ROWS[0]), mapping=MAPPING)

    assert dataset.status == Dataset.Status.FAILED
    assert (dataset.errors[0]["code"], dataset.errors[0]["where"]["line"]) == ("duplicate_key", 3)
    assert "“a”" in dataset.errors[0]["message"]


def test_duplicate_keys_are_counted_to_the_end_of_the_file(project, monkeypatch):
    monkeypatch.setattr(incoming, "AT_ONCE", 1)
    keys = ["first", "first", *map(str, range(600)), "first"]  # in several transactions
    rows = [{"id": key, "question": "q" * 1_000} for key in keys]

    dataset = imported(project, jsonl(*rows), mapping={"inputs": ["question"], "key": "id"})

    assert (dataset.status, dataset.error_count) == ("failed", 2)
    assert [error["where"]["line"] for error in dataset.errors] == [2, 603]
    assert not Example.objects.exists()


def test_of_rows_with_one_key_the_first_is_kept_when_skipping(project):
    dataset = imported(
        project, jsonl(ROWS[0], ROWS[1], ROWS[0] | {"question": "again"}), mapping=MAPPING, on_error="skip"
    )

    assert list(datasets.examples(dataset).values_list("key", "inputs")) == [
        ("a", '{"question":"1+1"}'),
        ("b", '{"question":"1+2"}'),
    ]


def test_a_failed_import_frees_its_name(project):
    imported(project, "{\n", name="answers")

    assert imported(project, jsonl(*ROWS), name="answers").status == Dataset.Status.READY


def test_a_taken_name_is_refused_before_anything_is_kept(project):
    imported(project, jsonl(*ROWS), name="Answers")

    with pytest.raises(Conflict, match="already"):
        imported(project, jsonl(*ROWS), name="  ANSWERS ")
    assert Dataset.objects.count() == 1


def test_the_file_is_gone_after_the_import(project):
    upload = parked(project, jsonl(*ROWS))
    dataset = imports.begin(upload, "short-lived", MAPPING)

    imports.run_import(Import.objects.get(dataset=dataset).pk)

    assert not default_storage.exists(upload.stored_as)
    assert not Import.objects.exists()


def test_the_planner_gets_statistics_of_a_large_file(project, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite plans without statistics")
    monkeypatch.setattr(incoming, "LARGE", 0)

    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT most_common_vals::text FROM pg_stats "
            "WHERE tablename = 'evaluations_example' AND attname = 'dataset_id'"
        )
        assert cursor.fetchall() == [(f"{{{dataset.pk}}}",)]


def test_an_import_that_is_started_twice_runs_once(project):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "twice", MAPPING)
    pk = Import.objects.get(dataset=dataset).pk

    imports.run_import(pk)
    imports.run_import(pk)

    dataset.refresh_from_db()
    assert (dataset.version, dataset.example_count) == (1, 2)


def test_an_import_whose_worker_was_lost_starts_again_from_nothing(project):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "again", MAPPING | {"outputs": {"v1": "v1"}})
    pk = Import.objects.get(dataset=dataset).pk
    claims.claim(pk)
    run = Run.objects.get()
    Example.objects.create(dataset=dataset, position=1, key="a", inputs="{}")
    Output.objects.create(run=run, position=1, text="half done")
    Import.objects.update(lease_until="2020-01-01T00:00:00Z")

    imports.sweep()
    imports.run_import(pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == ("ready", 2)
    assert list(run.outputs.order_by("position").values_list("text", flat=True)) == ["2", "4"]


# ---- turns ----


@pytest.fixture
def begin_import(project, settings):
    """Begin imports of files recorded with this size; only one of two workers may read large ones."""
    settings.LARGE_IMPORTS = 1

    def begin(name: str, megabytes: int, **form: object) -> int:
        dataset = imports.begin(parked(project, jsonl(*ROWS)), name, MAPPING)
        job = Import.objects.get(dataset=dataset)
        job.size, job.format = megabytes * 1_000_000, job.format | form
        job.save()
        return job.pk

    return begin


def test_large_files_leave_workers_to_small_ones(begin_import):
    first, second, small = begin_import("first", 500), begin_import("second", 500), begin_import("small", 1)

    claimed = [claims.claim(pk) for pk in (first, second, small)]

    assert [job.pk if job else None for job in claimed] == [first, None, small]


@pytest.mark.parametrize("packed", [{"gzip": True}, {"kind": "parquet"}])
def test_a_compressed_file_counts_with_the_size_it_may_unpack_to(begin_import, packed):
    claims.claim(begin_import("first", 500))

    assert claims.claim(begin_import("packed", 2, **packed)) is None
    assert claims.claim(begin_import("plain", 2)) is not None


def test_the_next_large_file_is_hinted_at_when_one_has_been_read(
    begin_import, monkeypatch, django_capture_on_commit_callbacks
):
    messages = []
    monkeypatch.setattr("evaluations.hints.publish", lambda task, ids: messages.append((task, *ids)))
    first, second = begin_import("first", 500), begin_import("second", 500)

    with django_capture_on_commit_callbacks(execute=True):
        imports.run_import(first)

    assert ("evaluations.import_file", second) in messages
    assert claims.claim(second) is not None


def test_a_reader_that_lost_its_lease_writes_nothing_more(project):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "lost", MAPPING)
    job = claims.claim(Import.objects.get(dataset=dataset).pk)
    Import.objects.update(token="somebody else's")

    with pytest.raises(claims.Lost), default_storage.open(job.stored_as) as file:
        imports.DatasetReading(job).read(file)
    assert not Example.objects.exists()


def test_an_import_that_ends_every_worker_fails_with_a_sentence(project):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "deadly", MAPPING)
    Import.objects.update(attempt=imports.ATTEMPTS)

    imports.run_import(Import.objects.get(dataset=dataset).pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "worker_lost")


@pytest.mark.long
def test_a_database_that_takes_no_rows_for_long_is_no_attempt_of_an_import(project, monkeypatch):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "no room", MAPPING)
    pk = Import.objects.get(dataset=dataset).pk

    def fail(*args: object) -> None:
        raise OperationalError("database or disk is full")

    with monkeypatch.context() as trouble:
        trouble.setattr("evaluations.bulk.insert", fail)
        for _ in range(2 * imports.ATTEMPTS):
            with pytest.raises(OperationalError):
                imports.run_import(pk)
            imports.sweep()

    imports.run_import(pk)
    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == ("ready", 2)


def test_an_import_whose_reader_is_killed_starts_again_from_nothing(project, monkeypatch):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "killed", MAPPING)
    pk = Import.objects.get(dataset=dataset).pk

    def dies(*arguments: object) -> Iterator[incoming.Pending]:
        yield next(original_read(*arguments))
        os.kill(os.getpid(), signal.SIGKILL)

    original_read = incoming._read
    monkeypatch.setattr(incoming, "LARGE", 0)
    with monkeypatch.context() as trouble:
        trouble.setattr(incoming, "_read", dies)
        with pytest.raises(read_ahead.ProcessEnded):
            imports.run_import(pk)
        assert Example.objects.count() == 2

    imports.sweep()
    imports.run_import(pk)
    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == ("ready", 2)


def test_an_import_without_its_file_fails_with_a_reason(project):
    upload = parked(project, jsonl(*ROWS))
    dataset = imports.begin(upload, "gone", MAPPING)
    default_storage.delete(upload.stored_as)

    imports.run_import(Import.objects.get(dataset=dataset).pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "file_gone")


def test_an_import_that_breaks_is_free_for_another_reader_after_the_next_sweep(project, monkeypatch):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "broken", MAPPING)
    pk = Import.objects.get(dataset=dataset).pk
    original_read = imports.DatasetReading.read
    monkeypatch.setattr(imports.DatasetReading, "read", lambda *_: [][0])
    with pytest.raises(IndexError):
        imports.run_import(pk)
    monkeypatch.setattr(imports.DatasetReading, "read", original_read)

    imports.sweep()
    imports.run_import(pk)

    dataset.refresh_from_db()
    assert dataset.status == Dataset.Status.READY


def test_a_reader_suspended_while_claiming_stores_nothing(project, monkeypatch):
    imports.begin(parked(project, jsonl(*ROWS)), "suspended", MAPPING)
    pk = Import.objects.get().pk
    monkeypatch.setattr(claims, "reached", lambda name: Import.objects.update(token="its successor's"))

    imports.run_import(pk)

    assert not Example.objects.exists()
    assert Import.objects.get().token == "its successor's"


def test_an_upload_is_imported_once(project):
    upload = parked(project, jsonl(*ROWS))
    imports.begin(upload, "first", MAPPING)

    with pytest.raises(Conflict, match="already"):
        imports.begin(upload, "second", MAPPING)
    assert Dataset.objects.count() == 1


def test_an_upload_that_an_import_takes_this_moment_keeps_its_file(project, monkeypatch):
    upload = parked(project, jsonl(*ROWS))
    Upload.objects.update(touched_at="2020-01-01T00:00:00Z")
    stale_uploads = list(Upload.objects.all())
    imports.begin(upload, "taken", MAPPING)
    Import.objects.update(stored_as="not yet seen by the one who forgets")
    monkeypatch.setattr(
        Upload.objects,
        "filter",
        lambda **conditions: stale_uploads if "touched_at__lt" in conditions else Upload.objects.none(),
    )

    uploads.forget_unconfirmed()

    assert default_storage.exists(upload.stored_as)


def test_a_file_can_be_appended_as_a_new_version(project):
    dataset = imported(project, jsonl(ROWS[0]), mapping=MAPPING)

    imports.begin_append(parked(project, jsonl(ROWS[1])), dataset, MAPPING)
    imports.run_import(Import.objects.get(dataset=dataset).pk)

    dataset.refresh_from_db()
    assert (dataset.version, dataset.example_count) == (2, 2)
    assert datasets.examples(dataset, version=1).count() == 1


def test_outputs_in_appended_rows_are_metadata_unless_they_are_mapped(project):
    dataset = imported(project, jsonl(ROWS[0]), mapping=MAPPING | {"outputs": {"output": "v1"}})
    row = {"id": "c", "question": "q", "answer": "a", "output": "o"}

    imports.begin_append(parked(project, jsonl(row)), dataset, None)
    imports.run_import(Import.objects.get(dataset=dataset).pk)

    dataset.refresh_from_db()
    assert json.loads(datasets.examples(dataset).last().metadata) == {"output": "o"}
    assert not Output.objects.filter(position=2).exists()
    with pytest.raises(Invalid):
        imports.begin_append(
            parked(project, jsonl(row)), dataset, MAPPING | {"outputs": {"output": "output"}}
        )


def test_a_failed_append_keeps_the_version(project):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING)

    imports.begin_append(parked(project, jsonl(ROWS[0])), dataset, MAPPING)
    imports.run_import(Import.objects.get(dataset=dataset).pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.version, dataset.example_count) == ("ready", 1, 2)
    assert dataset.errors[0]["code"] == "duplicate_key"
    assert Example.objects.count() == 2


def test_a_dataset_that_is_being_appended_to_cannot_be_edited(project):
    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING)
    imports.begin_append(
        parked(project, jsonl({"id": "c", "question": "q", "answer": "a"})), dataset, MAPPING
    )

    with pytest.raises(Conflict, match="imported"):
        datasets.remove(dataset, None, 1)


# ---- outputs of a run --------------------------------------------------------------------------------------


def outputs_imported(
    run: Run, content: str, mapping: dict, start: bool = True, filename: str = "rows.jsonl"
) -> Run:
    factories.begin_outputs(parked(run.project, content, filename), run, mapping, start=start)
    imports.run_import(Import.objects.get(run=run).pk)
    run.refresh_from_db()
    return run


def draft(project) -> Run:
    return factories.run(factories.experiment(project), (), start=False)


def test_outputs_are_matched_by_key_and_counted(project):
    content = jsonl({"id": "k3", "text": "Oslo"}, {"id": "k1", "text": "Paris"}, {"id": "k9", "text": "?"})

    run = outputs_imported(draft(project), content, {"key": "id", "output": "text"})

    assert list(run.outputs.order_by("position").values_list("position", "text")) == [
        (1, "Paris"),
        (3, "Oslo"),
    ]
    assert {name: run.outputs_note[name] for name in ("matched", "missing", "extra")} == {
        "matched": 2,
        "missing": 1,
        "extra": 1,
    }
    assert run.outputs_note["first_extra_lines"] == [3]


def test_outputs_are_matched_by_position(project):
    run = outputs_imported(
        draft(project), "n,text\n2,Rome\n", {"position": "n", "output": "text"}, filename="rows.csv"
    )

    assert list(run.outputs.values_list("position", "text")) == [(2, "Rome")]


def test_a_column_whose_name_looks_like_a_path_is_a_column(project):
    rows = ({"q": "1", "$out": "one"}, {"q": "2", "$out": "two"})

    dataset = imported(project, jsonl(*rows), mapping={"inputs": ["q"], "outputs": {"v1": "$out"}})
    later = outputs_imported(draft(project), jsonl(*rows), {"output": "$out"})

    for run in (Run.objects.get(experiment__dataset=dataset), later):
        assert list(run.outputs.order_by("position").values_list("text", flat=True)) == ["one", "two"]


def test_outputs_without_keys_are_matched_row_by_row(project):
    run = outputs_imported(draft(project), jsonl({"text": "Paris"}, {"text": "Rome"}), {"output": "text"})

    assert list(run.outputs.order_by("position").values_list("position", "text")) == [
        (1, "Paris"),
        (2, "Rome"),
    ]


def test_a_run_is_scored_when_its_outputs_are_in(project):
    run = outputs_imported(draft(project), jsonl({"text": "Paris"}), {"output": "text"})
    assert run.status == Run.Status.QUEUED

    while scoring.work(seconds=5):
        pass

    run.refresh_from_db()
    assert run.status == Run.Status.COMPLETED


def test_a_run_stays_a_draft_when_that_was_asked_for(project):
    run = outputs_imported(draft(project), jsonl({"text": "Paris"}), {"output": "text"}, start=False)

    assert run.status == Run.Status.DRAFT
    assert runs.begin(run).status == Run.Status.QUEUED


def test_outputs_for_a_run_that_has_begun_are_refused(project):
    run = draft(project)
    runs.begin(run)

    with pytest.raises(Conflict, match="draft"):
        outputs_imported(run, jsonl({"text": "Paris"}), {"output": "text"})


def test_a_file_without_a_match_fails_the_run(project):
    run = outputs_imported(draft(project), jsonl({"id": "x", "text": "?"}), {"key": "id", "output": "text"})

    assert (run.status, run.error["code"]) == ("failed", "nothing_matched")
    assert "id" in run.error["message"]


def test_a_second_output_for_an_example_fails_the_run(project):
    content = jsonl({"id": "k1", "text": "Paris"}, {"id": "k1", "text": "Lyon"})

    run = outputs_imported(draft(project), content, {"key": "id", "output": "text"})

    assert (run.status, run.error["code"]) == ("failed", "duplicate_output")
    assert not run.outputs.exists()


def test_the_experiment_of_an_upload_takes_a_free_name(project):
    factories.experiment(project)
    Experiment.objects.update(name="imported", name_key="imported")

    imported(project, jsonl(*ROWS), mapping=MAPPING | {"outputs": {"v1": "v1"}})

    assert set(Experiment.objects.values_list("name", flat=True)) == {"imported", "imported 2"}


def test_a_dataset_with_the_longest_name_can_bring_outputs(project):
    name = "x" * 200
    factories.experiment(project)
    Experiment.objects.update(name=name, name_key=name)

    dataset = imported(project, jsonl(*ROWS), mapping=MAPPING | {"outputs": {"v1": "v1"}}, name=name)

    assert dataset.experiments.get().name == "x" * 198 + " 2"


def test_no_worker_reads_a_file_into_a_deleted_dataset_until_it_is_restored(project):
    dataset = imports.begin(parked(project, jsonl(*ROWS)), "Sums", MAPPING)
    job = claims.claim(dataset.imports.get().pk)

    datasets.delete(dataset)

    with pytest.raises(queue.Lost):
        claims.keep(job, 1, 1)
    assert claims.claim(job.pk) is None
    assert not Import.objects.filter(queue.ready()).exists()

    owned.restore(dataset)
    imports.run_import(job.pk)

    dataset.refresh_from_db()
    assert (dataset.status, dataset.example_count) == (Dataset.Status.READY, 2)


def test_a_change_of_a_deleted_dataset_waits_too(project):
    dataset = factories.dataset(project)
    change = changes.begin(parked(project, "question,answer\nWhy?,So\n", "a.csv"), dataset, "append", None)

    datasets.delete(dataset)
    assert claims.claim(change.imports.get().pk) is None

    owned.restore(dataset)
    assert claims.claim(change.imports.get().pk)


def test_a_sweep_names_the_oldest_and_the_smallest_of_many_waiting_files(project, monkeypatch):
    imports.begin(parked(project, jsonl(*ROWS)), "first", MAPPING)
    first = Import.objects.get()
    fields = {
        field.name: getattr(first, field.name) for field in Import._meta.fields if not field.primary_key
    }
    copies = [Import(**fields | {"size": 10_000 - number, "dataset": None}) for number in range(100)]
    smallest = Import.objects.bulk_create(copies)[-1].pk
    named: list[int] = []
    monkeypatch.setattr(imports.hints, "send", lambda task, pk: named.append(pk))

    imports.sweep()

    assert {first.pk, smallest} <= set(named)
    assert len(named) < 40
