"""Previews of files, and suggested roles of columns."""

import io
import json
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpath_rfc9535 import find

from evaluations import ingest
from evaluations.ingest.suggest import output_of
from evaluations.ingest.suggest import roles as roles_of

from .samples import UPLOADS


def preview(content: bytes, name: str, **choices) -> ingest.Preview:
    return ingest.preview(io.BytesIO(content), name, choices, limits=ingest.Limits())


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def test_the_first_twenty_rows_are_shown():
    first_rows = preview(b"a,b\n" + b"".join(b"%d,x\n" % number for number in range(50)), "a.csv")

    assert [row["a"] for row in first_rows.rows] == [str(number) for number in range(20)]
    assert (first_rows.columns, first_rows.format.delimiter) == (["a", "b"], ",")


def test_only_the_head_of_a_large_file_is_read():
    file = io.BytesIO(b"a,b\n" + b"1,2\n" * 5_000_000 + b"\xff")

    first_rows = ingest.preview(file, "a.csv", limits=ingest.Limits())

    assert len(first_rows.rows) == 20
    assert file.tell() < 3_000_000


def test_errors_so_far_are_shown():
    first_rows = preview((UPLOADS / "ragged.csv").read_bytes(), "ragged.csv")

    assert (first_rows.error_counts, len(first_rows.errors), len(first_rows.rows)) == (
        {"csv_field_count": 2},
        2,
        2,
    )


def test_columns_of_later_rows_are_seen():
    content = b'{"a": 1}\n' * 500 + b'{"late": 1}\n'

    assert preview(content, "a.jsonl").columns == ["a", "late"]


def test_the_encoding_can_be_chosen_where_none_was_found():
    content = (UPLOADS / "utf16_without_bom.csv").read_bytes()

    assert preview(content, "a.csv", encoding="utf-16-le").rows[0]["question"] == "café"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["id", "question", "ground_truth", "topic"], ["key", "inputs", "reference", "metadata"]),
        (
            [" Prompt ", "INPUT", "Expected", "answer", "Target"],
            ["inputs", "inputs", "reference", "output", "metadata"],
        ),
        (["key", "id", "questions", "input_text"], ["key", "metadata", "metadata", "metadata"]),
        (
            ["inputs.text", "reference.output", "metadata.question", "inputs.", "Inputs.text"],
            ["inputs", "reference", "metadata", "metadata", "metadata"],
        ),
        (
            ["context.span_id", "name", "attributes.input.value", "attributes.output.value"],
            ["key", "metadata", "inputs", "output"],
        ),
        (
            ["request", "response", "expected_response/value", "exact/value"],
            ["inputs", "output", "reference", "metadata"],
        ),
        (["request", "question", "answer"], ["metadata", "inputs", "reference"]),
    ],
)
def test_only_well_known_names_are_suggested(columns, expected):
    assert list(roles_of(columns).values()) == expected


@pytest.mark.parametrize(
    ("row", "outputs"),
    [
        ({"output": "a", "response": "b"}, {"output": "output", "response": "response"}),
        ({"output_b": "a", "b response": "c"}, {"b": "output_b", "b response": "b response"}),
        ({"m": {"output": "a", "response": "b"}}, {"m": "$.m.output", "$.m.response": "$.m.response"}),
        (
            {"m n": {"output": "a"}, "it's": {"x y": {"response": "b"}}},
            {"m n": "$['m n'].output", "it's": "$['it\\'s']['x y'].response"},
        ),
        ({"": {"output": "a"}}, {"$[''].output": "$[''].output"}),
        ({"x" * 300: {"output": "a"}}, {"x" * 200: f"$.{'x' * 300}.output"}),
    ],
)
def test_every_output_known_by_its_name_has_a_variant_of_its_own(row, outputs):
    assert preview(jsonl([{"question": "q"} | row]), "a.jsonl").outputs == outputs


@pytest.mark.parametrize(
    "name", ["6b_finetuning", "plain", "é", "it's", "a b", "back\\slash", "", "a.b", "tab\t"]
)
def test_an_output_path_finds_the_text_it_names(name):
    row = {name: {"solution": "42", "is_correct": True, "steps": {name: "x"}}}

    paths = ingest.output_paths([row])

    assert [find(path, row).values() for path in paths] == [["42"], ["x"]]


def test_paths_are_short_where_names_allow_it():
    row = {"6b_finetuning": {"solution": "42"}, "b": {"c": "d"}, "top": "not nested"}

    assert ingest.output_paths([row, row]) == ["$['6b_finetuning'].solution", "$.b.c"]


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (["instruction", "answer"], ["inputs", "reference"]),
        (["prompt", "ground_truth", "answer"], ["inputs", "reference", "output"]),
        (["source", "target"], ["inputs", "reference"]),
        (["question", "source", "ref"], ["inputs", "metadata", "reference"]),
        (["Completion", "model_output", "generation"], ["output"] * 3),
        (["output_gpt-4", "claude 2 response", "outputs"], ["output", "output", "metadata"]),
        (["id", "key"], ["key", "metadata"]),
        (["messages", "ideal"], ["inputs", "reference"]),
        (["question", "messages"], ["inputs", "metadata"]),
        (
            ["src", "ref1", "reference_2", "Output 1", "q10"],
            ["inputs", "reference", "reference", "output", "metadata"],
        ),
        (["src", "ref_A", "refB", "referee"], ["inputs", "reference", "reference", "metadata"]),
        (["instruction", "reference_output", "gpt-4"], ["inputs", "reference", "metadata"]),
        (["Question", "Expected Output", "Actual Output"], ["inputs", "reference", "output"]),
        (["User-Query", "golden-answer", "answer"], ["inputs", "reference", "output"]),
        (["text", "label"], ["inputs", "reference"]),
        (["document", "reference", "summary"], ["inputs", "reference", "output"]),
        (["instruction", "context", "response"], ["inputs", "metadata", "reference"]),
        (["instruction", "output", "generator"], ["inputs", "output", "metadata"]),
        (["instruction", "output", "completion"], ["inputs", "output", "output"]),
        (["input", "actualOutput", "expectedOutput"], ["inputs", "output", "reference"]),
        (["question", "answers", "baseline_prediction"], ["inputs", "reference", "output"]),
        (
            ["inputs.question", "outputs.answer", "reference_outputs.answer"],
            ["inputs", "output", "reference"],
        ),
        (
            ["inputs.question", "inputs.groundtruth", "inputs.line_number", "outputs.answer", "outputs.ms"],
            ["inputs", "reference", "key", "output", "metadata"],
        ),
        (
            ["inputs.example.q", "inputs.example.expected", "output.output.label", "output.output.why"],
            ["inputs", "reference", "output", "metadata"],
        ),
        (
            ["inputs.q", "inputs.expected", "output.v3", "output.v4"],
            ["inputs", "reference", "output", "output"],
        ),
        (["prompt", "output.model_latency", "output.scores.judge"], ["inputs", "metadata", "metadata"]),
        (["question", "gold_answers", "model_answer"], ["inputs", "reference", "output"]),
        (["Frage", "Antwort"], ["inputs", "reference"]),
        (["Frage", "Referenz", "Antwort"], ["inputs", "reference", "output"]),
        (["Eingabe", "Ausgabe", "Erwartet"], ["inputs", "output", "reference"]),
        (["Entrée", "Sortie", "Réponse attendue"], ["inputs", "output", "reference"]),
        (["Pregunta", "Respuesta", "Referencia"], ["inputs", "output", "reference"]),
        (["Pergunta", "Resposta"], ["inputs", "reference"]),
        (["Domanda", "Risposta", "Riferimento"], ["inputs", "output", "reference"]),
    ],
)
def test_names_that_people_use_have_roles(columns, roles):
    assert list(roles_of(columns).values()) == roles


def test_the_name_of_a_column_names_its_variant():
    assert [output_of(name) for name in ("output_gpt-4", "claude 2 response", "output", "x")] == [
        "gpt-4",
        "claude 2",
        "",
        "",
    ]


def test_columns_of_sentences_beside_each_other_look_like_outputs():
    rows = [
        {
            "doc": f"d{n % 3}",
            "domain": "news",
            "source": f"Satz {n} ist kurz.",
            "A": f"Sentence {n} is short.",
            "B": f"The sentence {n} is brief.",
            "score": str(n),
        }
        for n in range(20)
    ]

    assert preview(jsonl(rows), "a.jsonl").likely_outputs == ["A", "B"]


def test_among_columns_of_unknown_names_none_is_called_an_output():
    rows = [
        {"Frage": f"Was ist {n} plus 1?", "Antwort": f"Es ist {n}.", "A": f"Das ist {n}."} for n in range(20)
    ]

    assert preview(jsonl(rows), "a.jsonl").likely_outputs == []


BOTH = ["big", "best"]


def _answers(wrong: int, references: int = 20) -> list[dict[str, Any]]:
    """Twenty questions whose `big` is wrong in the first rows, `best` in none, with a copy of the reference."""
    return [
        {
            "question": f"{n} + 7?",
            "answer": n % references,
            "big": "?" if n < wrong else str(n % references),
            "best": str(n % references),
            "answer text": str(n % references),
            "digits": n % 7 + 30,
        }
        for n in range(20)
    ]


@pytest.mark.parametrize(("wrong", "likely"), [(1, BOTH), (10, BOTH), (17, BOTH), (19, []), (0, [])])
def test_a_column_right_more_often_than_by_chance_looks_like_outputs(wrong, likely):
    """One that is right in every row is a copy of the reference unless another column looks like outputs."""
    assert preview(jsonl(_answers(wrong)), "a.jsonl").likely_outputs == likely


def test_a_column_may_agree_with_few_labels_by_chance():
    assert preview(jsonl(_answers(5, references=3)), "a.jsonl").likely_outputs == []


def test_a_column_named_like_outputs_but_for_its_number_is_one():
    rows = [row | {"prompt_v1": row["big"], "prompt_v2": f"**{row['big']}**"} for row in _answers(5)]
    kept = [{name: row[name] for name in ("question", "answer", "prompt_v1", "prompt_v2")} for row in rows]

    assert preview(jsonl(kept), "a.jsonl").likely_outputs == ["prompt_v1", "prompt_v2"]


def test_output_items_of_openai_evals_are_mapped():
    item = {
        "object": "eval.run.output_item",
        "id": "outputitem_1",
        "datasource_item": {"question": "2+2?", "answer": "4"},
        "sample": {"output": [{"role": "assistant", "content": "4"}]},
        "status": "pass",
    }

    first_rows = preview(jsonl([item]), "items.jsonl")

    assert first_rows.output_paths[0] == "$.sample.output[0].content"
    assert (first_rows.roles["id"], first_rows.roles["datasource_item"]) == ("key", "inputs")
    assert find(first_rows.output_paths[0], item).values() == ["4"]


PROMPTFOO = {
    "evalId": "eval-abc",
    "results": {"version": 3, "results": [{"promptIdx": 0, "vars": {"q": "a"}, "response": {"output": "b"}}]},
    "config": {},
}
INSPECT = {"version": 2, "status": "success", "eval": {"task": "gsm8k"}, "samples": [{"id": 1}, {"id": 2}]}
OPENAI = {"object": "list", "data": [{"object": "eval.run.output_item"}]}
OSS = {"spec": {"completion_fns": ["gpt-4"], "eval_name": "test-match.s1"}}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "export", [PROMPTFOO, INSPECT, OPENAI, OSS], ids=["promptfoo", "Inspect", "OpenAI", "log"]
)
def test_an_export_of_another_tool_is_named_and_never_one_example(export, indent):
    with pytest.raises(ingest.FileError) as refusal:
        preview(json.dumps(export, indent=indent).encode(), "results.json")

    assert refusal.value.code == "other_tool"
    assert "rows.jsonl" in refusal.value.hint


def test_an_inspect_archive_is_named():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
        archive.writestr("samples/1_epoch_1.json", "{}")

    with pytest.raises(ingest.FileError) as refusal:
        preview(file.getvalue(), "log.eval")

    assert refusal.value.code == "other_tool"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("table", "hint"),
    [
        ({"train": [{"q": "a"}, {"q": "b"}], "test": [{"q": "c"}, {"q": "d"}]}, '.["train"][]'),
        ({"q": {"0": "a", "1": "b"}, "r": {"0": "c", "1": "d"}}, 'orient="records"'),
        ({name: {"q": name, "r": "x"} for name in "abc"}, "to_entries[]"),
        ({"predictions": ["a", "b"], "references": ["a", "c"]}, "map_values"),
    ],
)
def test_a_table_in_one_object_is_refused_with_a_way_to_write_its_rows(table, hint, indent):
    with pytest.raises(ingest.FileError) as refusal:
        preview(json.dumps(table, indent=indent).encode(), "table.json")

    assert refusal.value.code == "json_not_an_array"
    assert hint in refusal.value.hint


@pytest.mark.parametrize(
    "example",
    [
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "ideal": "b"},
        {"q": "a", "evidence": [{"text": "only one"}]},
        {"inputs": {"q": "a"}, "reference": {"q": "b"}},
        {"q": "a", "r": "b"},
    ],
)
def test_one_example_alone_is_read(example):
    assert preview(jsonl([example]), "a.jsonl").rows == [example]


BATTLES = [
    {"model_a": a, "model_b": b, "text_a": f"{n} is", "text_b": f"no {n}", "preference": n % 3 - 1}
    for n, (a, b) in enumerate([("small", "large"), ("large", "small")] * 10)
]
SIDE_BY_SIDE = [
    {
        "prompt": f"{n}?",
        "left": {"model": a, "text": f"{n} is"},
        "right": {"model": b, "text": "no"},
        "vote": "left",
    }
    for n, (a, b) in enumerate([("small", "large"), ("large", "small")] * 10)
]
IN_ORDER = [{"q": f"{n}?", "gold": str(n), "outputs": [f"It is {n}", f"It is {n + 1}"]} for n in range(20)]
BY_VARIANT = [
    {"q": f"{n}?", "outputs": {"small": str(n), "large": "4"}, "right": {"small": 1, "large": 0}}
    for n in range(20)
]
OF_EACH = [
    {"q": f"{n}?", "old": {"answer": str(n), "ms": 9}, "new": {"answer": "4", "ms": n}} for n in range(20)
]
ERRORS = [
    {
        "system": "ab"[n % 2],
        "source": f"{n // 4}",
        "target": f"{n // 4} is",
        "category": "Style",
        "severity": said,
    }
    for n, said in enumerate(["Major", "Minor", "Neutral", "Minor"] * 5)
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "a", "large", "model_a", "-2", "1.5", "Major", "yes", '{"small": 1}', "[1]"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["small", "large", "model", "text", "answer"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.sampled_from([BATTLES, SIDE_BY_SIDE, IN_ORDER, BY_VARIANT, OF_EACH, ERRORS]),
    st.integers(0, 4),
    st.lists(VALUES, min_size=1, max_size=3),
    st.integers(0, 20),
)
@settings(deadline=None)
def test_rows_with_any_value_in_one_column_have_a_preview(known, place, values, first):
    """The rows have a shape that is recognised, and from row `first` on, the values in turn in one of its columns."""
    name = [*known[0]][place % len(known[0])]
    rows = [row | ({name: values[n % len(values)]} if n >= first else {}) for n, row in enumerate(known)]
    fmt = ingest.sniff(io.BytesIO(jsonl(known)), "a.jsonl", limits=ingest.Limits())

    for choice in (None, fmt):
        found = ingest.preview(io.BytesIO(jsonl(rows)), "a.jsonl", limits=ingest.Limits(), fmt=choice)
        assert found.columns or found.errors  # a number that is too large is an error of its row


def test_a_winner_that_is_true_or_false_has_a_preview():
    models = ["small", "large", "large", "small"] * 5
    rows = [
        {"model_a": a, "model_b": b, "text_a": f"{n} is", "text_b": f"no {n}", "preference": n % 2 == 0}
        for n, (a, b) in enumerate(zip(models[::2], models[1::2], strict=True))
    ]

    assert preview(jsonl(rows), "a.jsonl").columns


def test_a_list_of_outputs_may_be_another_value_after_the_first_rows():
    rows = [{"q": str(n), "outputs": ["It is four", "It is five"]} for n in range(1_500)]
    rows[1_400]["outputs"] = 5
    rows[1_401]["outputs"] = "It is four"
    fmt = ingest.sniff(io.BytesIO(jsonl(rows)), "a.jsonl", limits=ingest.Limits())

    read = [
        row for batch in ingest.open_rows(io.BytesIO(jsonl(rows)), fmt, ingest.Limits()) for row in batch.rows
    ]

    assert (read[0]["outputs 1"], read[1_400].get("outputs 1"), read[1_401].get("outputs 1")) == (
        "It is four",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("first", "second"), [("model_a", "model_b"), ("left", "right"), ("answer_1", "answer_2")]
)
@pytest.mark.parametrize("answer", [{"order": {"id": 1, "items": [1]}}, {"total": "3", "date": "2 May"}])
def test_objects_with_the_fields_of_the_reference_are_whole_answers(first, second, answer):
    rows = [{"text": f"Read note {n}.", "expected": answer, first: answer, second: answer} for n in range(9)]
    shown = preview("\n".join(map(json.dumps, rows)).encode(), "orders.jsonl")

    assert shown.columns == ["text", "expected", first, second]


def test_outputs_by_model_with_the_fields_of_the_reference_are_whole_answers():
    answers = [{"supplier": f"Martel {n}", "lines": [{"item": "oak"}]} for n in range(9)]
    rows = [
        {"text": f"Note {n}", "expected": answer, "outputs": {"small": answer, "large": answer}}
        for n, answer in enumerate(answers)
    ]
    shown = preview("\n".join(map(json.dumps, rows)).encode(), "orders.jsonl")

    assert shown.outputs == {"small": "small", "large": "large"}
    assert shown.rows[0]["small"] == answers[0]


@pytest.mark.parametrize(("yes", "no", "asked"), [("sí", "no", "correcta"), ("Ja", "Nein", "richtig")])
def test_yes_and_no_beside_texts_are_grades_where_their_name_asks_what_is_right(yes, no, asked):
    lines = [f"id,frage,soll,antwort_v1,antwort_v2,{asked}_v1,{asked}_v2"]
    for n in range(20):
        grades = (yes if n % 3 else no, yes if n % 4 else no)
        lines.append(f"{n},Was ist {n}?,Es ist {n}.,Ich sage {n}.,Wohl {n + 1}.,{','.join(grades)}")
    shown = preview("\n".join(lines).encode(), "fragen.csv")

    roles = {name: guess.role for name, guess in shown.guesses.items()}
    assert (roles["antwort_v1"], roles["antwort_v2"]) == ("output", "output")
    assert (roles[f"{asked}_v1"], roles[f"{asked}_v2"]) == ("score", "score")


def test_points_named_after_the_end_of_an_answers_name_are_its_scores_as_their_columns_write_them():
    lines = ["Frage;Antwort Bot alt;Antwort Bot neu;Bot alt – Punkte Müller;Bot neu – Punkte Müller"]
    lines += [
        f"Was ist {n}?;Das ist {n}, wie gesagt.;Ich sage: {n}.;{n % 4 + 1};{n % 5 + 1}" for n in range(20)
    ]
    shown = preview("\n".join(lines).encode(), "punkte.csv")

    assert [shown.guesses[name].role for name in shown.columns[1:]] == ["output", "output", "score", "score"]
    assert shown.guesses["Bot neu – Punkte Müller"].variant == "Antwort Bot neu"
    assert shown.guesses["Bot neu – Punkte Müller"].name == "Punkte Müller"
