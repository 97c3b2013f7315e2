"""Files of outputs with several rows for each example, and files of examples that repeat them."""

from typing import Any

import pytest
from django.http import HttpResponse

from evaluations.errors import Conflict
from evaluations.experiments import about
from evaluations.experiments.runs import lock_draft
from evaluations.imports import imports
from evaluations.imports.reading.long_outputs import LongOutputs
from evaluations.models import Experiment, Run
from tests import factories

from .conftest import import_all

pytestmark = pytest.mark.django_db

SYSTEMS = (
    b"id,system,text,rating\nk1,a,Paris,4\nk1,b,Lyon,2\nk2,a,Rome,5\nk2,b,Milan,1\nk3,b,Oslo,4\nk9,a,?,1\n"
)
TRIES = b"id,try,text\nk1,1,Paris\nk2,1,Rome\nk1,2,Lyon\nk2,2,Milan\n"
LONG = {"id": "id", "variant": "system", "output": "text"}


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project)


def sent(writer: Any, experiment: Experiment, file: bytes, **fields: Any) -> HttpResponse:
    return writer.upload("runs/", file, experiment=str(experiment.pk), **fields)


def texts(run: Run) -> dict[int, str | None]:
    return dict(run.outputs.values_list("position", "text"))


def test_each_variant_of_a_file_is_a_run(writer, experiment):
    first = sent(writer, experiment, SYSTEMS, long=LONG, about={"model": "m"}).json()
    import_all()

    a, b = Run.objects.order_by("pk")
    assert (a.pk, first["variant"], a.variant, b.variant) == (first["id"], "a", "a", "b")
    assert texts(a) == {1: "Paris", 2: "Rome"}
    assert texts(b) == {1: "Lyon", 2: "Milan", 3: "Oslo"}
    assert [run.about for run in (a, b)] == [{"model": "m"}] * 2
    assert {run.status for run in (a, b)} == {Run.Status.QUEUED}
    assert a.outputs_note | {"start": True} == {
        "matched": 2,
        "missing": 1,
        "extra": 1,
        "first_extra_lines": [7],
        "left_out": ["rating"],
        "start": True,
    }


def test_repetitions_of_a_file_are_runs_of_one_variant(writer, experiment):
    long = {"id": "id", "repetition": "try", "output": "text"}
    sent(writer, experiment, TRIES, variant="v1", long=long, start="false")
    import_all()

    one, two = Run.objects.order_by("pk")
    assert [run.about for run in (one, two)] == [{"repetition": "1"}, {"repetition": "2"}]
    assert about.identity(one) == about.identity(two)
    assert [texts(run) for run in (one, two)] == [{1: "Paris", 2: "Rome"}, {1: "Lyon", 2: "Milan"}]
    assert {run.status for run in (one, two)} == {Run.Status.DRAFT}


def test_rows_that_nothing_tells_apart_are_repetitions_in_their_order(writer, experiment):
    sent(writer, experiment, b"id,text\nk1,a\nk1,b\nk2,c\n", variant="v1", long={"id": "id"})
    import_all()

    assert [texts(run) for run in Run.objects.order_by("pk")] == [{1: "a", 2: "c"}, {1: "b"}]


def test_a_column_called_position_has_positions(writer, experiment):
    file = b"position,system,text\n1,a,x\n1,b,y\n3,a,z\n3,b,w\n"
    sent(writer, experiment, file, long={"id": "position", "variant": "system"})
    import_all()

    assert [texts(run) for run in Run.objects.order_by("pk")] == [{1: "x", 3: "z"}, {1: "y", 3: "w"}]


def test_who_wants_to_be_asked_is_asked_about_rows_that_repeat(writer, experiment):
    mapping = {"output": "text", "key": "id"}
    answer = sent(writer, experiment, SYSTEMS, variant="v", mapping=mapping, ask="true")

    (choice,) = answer.json()["error"]["choices"]
    assert (answer.status_code, choice["field"]) == (409, "long")
    assert LONG in choice["values"]
    assert not Run.objects.exists()


def test_without_a_question_the_first_row_that_repeats_is_named(writer, experiment):
    sent(writer, experiment, SYSTEMS, variant="v", mapping={"output": "text", "key": "id"})
    import_all()

    error = Run.objects.get().error
    assert (error["code"], error["where"]) == ("duplicate_output", {"line": 3})
    assert "“k1”" in error["message"]
    assert "long" in error["hint"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"variant": "v"}, "invalid_mapping"),
        ({"variant": "v", "long": LONG}, "invalid_mapping"),
        ({"long": {"id": "id"}}, "invalid_mapping"),
        ({"variant": "v", "long": {"id": "id"}, "mapping": {"output": "text"}}, "invalid_mapping"),
        ({"variant": "v", "long": {"id": "nothing"}}, "missing_column"),
    ],
)
def test_a_file_that_cannot_be_read_so_is_refused(writer, experiment, fields, code):
    answer = sent(writer, experiment, SYSTEMS, **fields)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Run.objects.exists()


def test_a_row_without_a_variant_fails_the_file_and_leaves_one_run(writer, experiment):
    sent(writer, experiment, b"id,system,text\nk1,a,x\nk2,b,y\nk1, ,z\n", long=LONG)
    import_all()

    run = Run.objects.get()
    assert (run.status, run.error["code"], run.error["where"]) == ("failed", "variant_missing", {"line": 4})
    assert not run.outputs.exists()


def test_the_runs_of_a_file_take_nothing_else_until_it_is_read(writer, experiment, monkeypatch):
    refused = []

    def finish(self: LongOutputs) -> None:
        for run in Run.objects.all():
            with pytest.raises(Conflict):
                lock_draft(run)
            refused.append(run.pk)
        finished(self)

    finished = LongOutputs._finish
    monkeypatch.setattr(LongOutputs, "_finish", finish)
    sent(writer, experiment, SYSTEMS, long=LONG)
    import_all()

    assert len(refused) == 2


def test_an_interrupted_file_is_read_again_into_the_same_runs(writer, experiment, monkeypatch):
    def interrupted(self: LongOutputs) -> None:
        raise RuntimeError

    sent(writer, experiment, SYSTEMS, long=LONG)
    with monkeypatch.context() as patched:
        patched.setattr(LongOutputs, "_finish", interrupted)
        with pytest.raises(RuntimeError):
            import_all()
    before = {*Run.objects.values_list("pk", flat=True)}
    imports.sweep()
    import_all()

    assert {*Run.objects.values_list("pk", flat=True)} == before
    assert [run.output_count for run in Run.objects.order_by("pk")] == [2, 3]


# ---- examples ----------------------------------------------------------------------------------------------


def test_equal_rows_of_a_long_table_are_one_new_example(writer, experiment):
    file = b"id,question,answer,system,output\nk8,q8,a8,a,x\nk8,q8,a8,b,y\nk9,q9,a9,a,z\nk9,q9,a9,b,w\n"
    long = {"id": "id", "variant": "system"}
    started = writer.upload(f"datasets/{experiment.dataset_id}/upload/", file, mode="append", long=long)
    assert started.status_code == 202, started.content
    import_all()

    change = writer.get(f"datasets/{experiment.dataset_id}/imports/{started.json()['import']}/").json()
    assert (change["status"], change["added"]) == ("ready", 2)
    assert {"system", "output"} <= {
        name for warning in change["warnings"] for name in warning.get("left_out", ())
    }


def test_rows_of_an_example_that_disagree_are_refused(writer, experiment):
    file = b"id,question,answer,system\nk8,q8,a8,a\nk8,q7,a8,b\nk9,q9,a9,a\nk9,q9,a9,b\n"
    long = {"id": "id", "variant": "system"}
    started = writer.upload(f"datasets/{experiment.dataset_id}/upload/", file, mode="append", long=long)
    import_all()

    change = writer.get(f"datasets/{experiment.dataset_id}/imports/{started.json()['import']}/").json()
    assert change["errors"][0]["code"] == "duplicate_key"


def test_a_sender_of_examples_is_asked_about_rows_that_repeat(writer, experiment):
    file = b"id,question,answer,system\nk8,q8,a8,a\nk8,q8,a8,b\nk9,q9,a9,a\nk9,q9,a9,b\n"

    answer = writer.upload(f"datasets/{experiment.dataset_id}/upload/", file, mode="append", ask="true")

    (choice,) = answer.json()["error"]["choices"]
    assert (answer.status_code, choice["field"]) == (409, "long")
    assert choice["values"][0] == {"id": "id", "variant": "system"}


def test_a_file_without_a_mapping_is_matched_by_the_keys_that_it_has_and_named_by_its_model(
    writer, experiment
):
    answer = sent(writer, experiment, b"id,text,model\nk1,one,gpt-5\nk2,two,gpt-5\n")

    assert answer.status_code == 202
    assert answer.json()["variant"] == "gpt-5"
    import_all()
    assert texts(Run.objects.get()) == {1: "one", 2: "two"}


def test_rows_that_nothing_names_are_not_silently_matched_in_order(writer, experiment):
    answer = sent(writer, experiment, b"text\none\ntwo\n", variant="v")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_mapping")
    assert "neither by key nor by inputs" in answer.json()["error"]["message"]
