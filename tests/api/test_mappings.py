"""Saved mappings by the API, and uploads that name one."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.imports import imports
from evaluations.imports.columns import saved_mappings
from evaluations.models import Dataset, DatasetImport, Experiment, Import

pytestmark = pytest.mark.django_db

WEEKLY = {"inputs": ["frage"], "reference": {"answer": "soll"}, "key": "nr"}
FILE = b"nr,frage,soll\n1,2+2?,4\n"


@pytest.fixture
def weekly(project, alice):
    return saved_mappings.create(project, alice, "weekly export", WEEKLY)


def code(response):
    return response.status_code, response.json()["error"]["code"]


def columns_of_new_dataset(response):
    assert response.status_code == 202, response.content
    imports.run_import(Import.objects.get().pk)
    return Dataset.objects.get(pk=response.json()["id"]).columns


@pytest.fixture
def created(writer):
    return writer.create("mappings/", {"name": "Weekly export", "mapping": WEEKLY})


def test_a_mapping_is_found_by_its_name(writer, created):
    assert (created["name"], created["mapping"]) == ("Weekly export", WEEKLY)
    [listed] = writer.get("mappings/?name=weekly++EXPORT").json()["results"]
    assert listed["id"] == created["id"]


def test_a_mapping_is_changed(writer, created):
    changed = writer.patch(
        f"mappings/{created['id']}/", {"name": "monthly", "mapping": {"inputs": ["q"]}}
    ).json()

    assert (changed["name"], changed["mapping"]) == ("monthly", {"inputs": ["q"]})


def test_a_deleted_mapping_is_hidden_until_it_is_restored(writer, created):
    address = f"mappings/{created['id']}/"

    assert writer.delete(address).status_code == 204
    assert (writer.get(address).status_code, writer.get("mappings/").json()["results"]) == (404, [])
    assert writer.post(f"{address}restore/").json()["name"] == "Weekly export"


def test_an_upload_is_scored_by_the_evaluators_of_its_saved_mapping(writer, project, alice):
    read = {"actual": {"path": "$.output", "read": ["reasoning"]}}
    evaluator = evaluators.create(project, alice, "Read", "exact_match", {}, read)
    mapping = WEEKLY | {"outputs": {"v1": "ist"}, "evaluators": [evaluator.pk]}
    writer.create("mappings/", {"name": "scored", "mapping": mapping})

    columns_of_new_dataset(
        writer.upload("datasets/", b"nr,frage,soll,ist\n1,2+2?,4,4\n", name="Sums", mapping="scored")
    )

    experiment = Experiment.objects.get()
    assert experiment.primary == evaluator
    [scoring] = experiment.runs.get().scorings.all()
    assert scoring.evaluator_version == evaluators.newest(evaluator)


def test_a_mapping_names_evaluators_of_its_project_only(writer, project, alice):
    evaluator = evaluators.create(project, alice, "Read", "exact_match", {}, {})
    sent = {"name": "scored", "mapping": WEEKLY | {"outputs": {"v1": "ist"}, "evaluators": [evaluator.pk]}}
    writer.create("mappings/", sent)
    evaluators.delete(evaluator)

    refused = writer.upload("datasets/", b"nr,frage,soll,ist\n1,2+2?,4,4\n", name="Sums", mapping="scored")

    assert code(refused) == (400, "unknown_evaluator")
    assert code(writer.post("mappings/", sent | {"name": "again"})) == (400, "unknown_evaluator")
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("reference", ["weekly export", "WEEKLY  export", '"weekly export"', "id"])
def test_an_upload_names_a_saved_mapping(writer, weekly, reference):
    mapping = str(weekly.pk) if reference == "id" else reference

    response = writer.upload("datasets/", FILE, name="Sums", mapping=mapping)

    assert columns_of_new_dataset(response) == {
        "inputs": ["frage"],
        "reference": ["answer"],
        "metadata": [],
    }


def test_a_file_for_a_dataset_names_a_saved_mapping(writer, dataset, weekly):
    form = {"mode": "append", "mapping": "weekly export"}

    response = writer.upload(f"datasets/{dataset['id']}/upload/", FILE, **form)

    change = DatasetImport.objects.get(pk=response.json()["import"])
    assert change.imports.get().mapping["renamed"] == [["reference", "answer", "soll"]]


def test_a_mapping_whose_columns_the_file_lacks_is_refused(writer, weekly):
    response = writer.upload("datasets/", b"nr,frage\n1,a\n", name="Sums", mapping="weekly export")

    assert code(response) == (400, "missing_column")


def test_a_mapping_that_does_not_exist_is_named_in_the_answer(writer, weekly):
    saved_mappings.delete(weekly)

    response = writer.upload("datasets/", FILE, name="Sums", mapping="weekly export")

    assert code(response) == (404, "unknown_mapping")


def test_mappings_of_another_project_do_not_exist(stranger, weekly):
    by_id = stranger.upload("datasets/", FILE, name="Sums", mapping=str(weekly.pk))

    assert code(by_id) == (404, "unknown_mapping")
    assert stranger.get(f"mappings/{weekly.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"name": "Weekly Export", "mapping": WEEKLY}, (409, "name_taken")),
        ({"name": "odd", "mapping": {"questions": ["q"]}}, (400, "invalid_mapping")),
        ({"name": "odd", "mapping": {"inputs": 5}}, (400, "invalid_mapping")),
        ({"name": "odd", "mapping": {"inputs": ["q"], "outputs": {"v1": "$.a["}}}, (400, "invalid_path")),
        ({"name": "odd", "mapping": {"inputs": ["q" * 100_000]}}, (400, "invalid_mapping")),
        ({"name": " ", "mapping": WEEKLY}, (400, "required")),
        ({"name": "odd", "mapping": "weekly export"}, (400, "invalid")),
    ],
)
def test_an_invalid_mapping_or_name_is_not_saved(writer, weekly, mapping, expected):
    assert code(writer.post("mappings/", mapping)) == expected


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("inputs", {"q": 5}),
        ("inputs", [" "]),
        ("reference", 0),
        ("metadata", [["frage"]]),
        ("key", {}),
        ("key", ["nr"]),
        ("key", ""),
        ("outputs", []),
        ("outputs", {"v1": None}),
        ("variant", False),
        ("output", ""),
        ("scores", 0),
        ("scores", {"COMET": ["frage"]}),
        ("lower_is_better", {}),
        ("lower_is_better", [{}]),
    ],
)
def test_every_part_of_a_mapping_has_its_shape(writer, weekly, part, value):
    mapping = WEEKLY | {part: value}

    posted = writer.post("mappings/", {"name": "odd", "mapping": mapping})
    patched = writer.patch(f"mappings/{weekly.pk}/", {"mapping": mapping})

    assert {code(posted), code(patched)} == {(400, "invalid_mapping")}
    assert [*posted.json()["error"]["fields"]] == [f"mapping.{part}"]


def test_omitted_parts_of_a_mapping_may_be_null(writer):
    absent = dict.fromkeys(["metadata", "key", "outputs", "variant", "output", "scores", "lower_is_better"])

    saved = writer.create("mappings/", {"name": "plain", "mapping": {"inputs": ["frage"], **absent}})

    assert saved["mapping"] == {"inputs": ["frage"], **absent}


def test_a_project_keeps_a_bounded_number(writer, weekly, monkeypatch):
    monkeypatch.setattr(saved_mappings, "MOST_MAPPINGS", 1)

    assert code(writer.post("mappings/", {"name": "one more", "mapping": WEEKLY})) == (
        409,
        "too_many_mappings",
    )
