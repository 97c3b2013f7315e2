"""Results of batch APIs and evaluation tools: the answer inside is suggested, not the object around it."""

import json
from typing import Any

import pytest
from jsonpath_rfc9535 import find

from evaluations import ingest, jsonpath

from .test_preview import jsonl, preview

CHAT = {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "4"}}]}
BATCH = {"id": "batch_req_1", "custom_id": "k1", "error": None}


def of_batch(body: dict[str, Any]) -> dict[str, Any]:
    return BATCH | {"response": {"status_code": 200, "body": body}}


ROWS = {
    "chat of OpenAI, Azure or vLLM": of_batch(CHAT),
    "completion": of_batch({"choices": [{"index": 0, "text": "4"}]}),
    "response of OpenAI": of_batch({"output": [{"type": "message", "content": [{"text": "4"}]}]}),
    "response of OpenAI after reasoning": of_batch(
        {"output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"text": "4"}]}]}
    ),
    "Anthropic": {
        "custom_id": "k1",
        "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "4"}]}},
    },
    "Vertex AI": {
        "request": {"contents": [{"parts": [{"text": "2+2?"}]}]},
        "response": {"candidates": [{"content": {"parts": [{"text": "4"}], "role": "model"}}]},
    },
    "lm-evaluation-harness": {
        "doc_id": 0,
        "doc": {"question": "2+2?"},
        "target": "4",
        "resps": [["4."]],
        "filtered_resps": ["4"],
    },
    "HELM": {"instance": {"input": {"text": "2+2?"}}, "result": {"completions": [{"text": "4"}]}},
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_the_answer_inside_is_the_output(row):
    suggested = preview(jsonl([row]), "a.jsonl")

    [path] = suggested.outputs.values()
    assert find(path, row).values() == ["4"]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_the_object_around_the_answer_is_left_out(row):
    suggested = preview(jsonl([row]), "a.jsonl")

    [path] = suggested.outputs.values()
    assert suggested.roles[path.removeprefix("$.").partition(".")[0].partition("[")[0]] == "leave out"


def test_the_name_that_the_sender_gave_is_the_key():
    """The id of OpenAI is another one in every batch."""
    roles = preview(jsonl([ROWS["chat of OpenAI, Azure or vLLM"]]), "a.jsonl").roles

    assert (roles["custom_id"], roles["id"]) == ("key", "metadata")


def test_requests_that_failed_hide_no_answer():
    failed = BATCH | {"response": None, "error": {"code": "x"}}

    suggested = preview(jsonl([failed, failed, of_batch(CHAT)]), "a.jsonl")

    assert [*suggested.outputs.values()] == ["$.response.body.choices[0].message.content"]


def test_outputs_that_are_whole_objects_are_named():
    vectors = of_batch({"object": "list", "data": [{"embedding": [0.1]}]})

    [warning] = preview(jsonl([vectors]), "a.jsonl").warnings

    assert (warning.code, "“response”" in warning.message) == ("object_outputs", True)


@pytest.mark.parametrize("output", ['{"a": 1}', [1], "4", None])
def test_other_outputs_are_not_named(output):
    assert preview(jsonl([{"question": "2+2?", "output": output}]), "a.jsonl").warnings == []


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"data":[{"q":"a","r":"b"},{"q":"c"},{"q":"d', 1),
        ('{"version": 1,\n "data": [\n{"q": "a"},\n{"q": "b"}\n', 4),
        ('{\n "q": "a",\n "r":', 3),
    ],
)
def test_a_file_that_was_cut_says_where_it_ends(content, line):
    with pytest.raises(ingest.FileError) as refusal:
        preview(content.encode(), "a.json")

    assert (refusal.value.code, refusal.value.where) == ("json_unfinished", {"line": line})


def test_a_long_file_that_was_cut_says_where_it_ends():
    rows = ",\n".join(json.dumps({"q": f"question {n}", "r": "x" * 900}) for n in range(600))

    with pytest.raises(ingest.FileError) as refusal:
        preview(f'{{"data": [\n{rows},\n{{"q": "cut'.encode(), "a.json")

    assert refusal.value.where == {"line": 602}


@pytest.mark.parametrize("name", ["回复", "답변", "réponse", "ответ", "6b", "a b"])
def test_a_path_to_a_text_inside_can_be_read_whatever_its_names_are(name):
    row = {"question": "2+2?", name: {name: "four"}}

    [path] = preview(jsonl([row]), "a.jsonl").output_paths

    assert jsonpath.compile(path).find(row) == ["four"]
