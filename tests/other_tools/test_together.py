"""Several exports of one tool in an archive are one: the same examples, and a variant for each run."""

import io
import json

import pytest

from evaluations import other_tools
from evaluations.ingest import FileError
from evaluations.zstd import zipfile

from .files import archive, changed, content, figure, read

NAMES = {
    "inspect": "inspect.json",
    "promptfoo": "promptfoo_v3.json",
    "langfuse": "langfuse.jsonl",
    "phoenix": "phoenix.json",
}


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archived:
        for name, text in files.items():
            archived.writestr(name, text)
    return packed.getvalue()


def log(model: str, task: str = "", asks: str = "") -> bytes:
    def change(document):
        document["eval"]["model"] = model
        document["eval"]["task"] = task or document["eval"]["task"]
        for sample in document["samples"]:
            sample["input"] = f"{asks}{sample['input']}"

    return changed("inspect.json", change)


def names(evaluation):
    return [variant.name for variant in evaluation.variants]


def test_two_logs_are_two_variants_of_the_same_examples():
    one = read(content("inspect.json"))
    evaluation = read(zipped(**{"logs/a.json": log("small"), "logs/b.json": log("large")}))

    assert names(evaluation) == ["small", "large"]
    assert evaluation.items == one.items
    assert evaluation.answer_count == 2 * one.answer_count
    assert figure(evaluation, "large", one.figures[0].grader).mean == one.figures[0].mean


def test_logs_that_are_archives_themselves_are_read_together():
    logs = {f"{model}.eval": archive(json.loads(log(model))) for model in ("small", "large")}

    assert names(read(zipped(**logs))) == ["small", "large"]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_exports_of_every_tool_with_the_same_names_get_those_of_their_files(name):
    one = read(content(name))
    evaluation = read(zipped(**{"run_v1.json": content(name), "run_v2.json": content(name)}))

    assert len(evaluation.items) == len(one.items)
    assert len({*names(evaluation)}) == 2 * len(one.variants)
    assert [called.endswith(" v2") for called in names(evaluation)].count(True) == len(one.variants)


def test_reports_without_a_model_are_called_after_their_files():
    report = json.dumps({"submitted_ids": ["a-1", "a-2"], "resolved_ids": ["a-1"]}).encode()
    evaluation = read(zipped(**{"x-1.5_gpt.lite120.json": report, "y_gpt-4o.lite120.json": report}))

    assert names(evaluation) == ["x-1.5_gpt", "y_gpt-4o"]


def test_logs_of_one_model_on_two_tasks_are_one_variant():
    logs = {
        f"{task}_{model}.json": log(model, task, f"{task} ")
        for task in ("facts", "sums")
        for model in ("small", "large")
    }
    evaluation = read(zipped(**logs))
    one = read(content("inspect.json"))

    assert names(evaluation) == ["small", "large"]
    assert len(evaluation.items) == 2 * len(one.items)
    assert {item.metadata["task"] for item in evaluation.items} == {"facts", "sums"}
    assert len({item.key for item in evaluation.items}) == len(evaluation.items)


def test_logs_of_different_examples_say_what_to_do():
    logs = {"a.json": log("small"), "b.json": log("large", asks="Now: ")}

    with pytest.raises(FileError, match=r"“a.json” has other examples than “b.json”") as refused:
        read(zipped(**logs))
    assert "Add a variant" in refused.value.hint


def test_an_archive_of_tables_or_of_two_tools_is_no_export():
    for files in (
        {"a.json": log("small"), "b.json": content("promptfoo_v3.json")},
        {"a.json": log("small"), "b.csv": b"a,b\n1,2\n"},
    ):
        assert not other_tools.recognise(io.BytesIO(zipped(**files)))
