"""ZIP archives: their tables become one, by what names the examples and by the names of the files."""

import csv
import io
import json
import random
import zipfile
from contextlib import suppress

import pytest

from evaluations import ingest
from evaluations.ingest import archive

EXAMPLES = [{"qid": f"q{n}", "question": f"What is {n} + {n * 7}?", "answer": str(n * 8)} for n in range(20)]
GOOD = [example["answer"] for example in EXAMPLES]
POOR = [str(int(answer) + number % 2) for number, answer in enumerate(GOOD)]


ADA = {"type": "PER", "text": "Ada Byron", "word": 1}


def lines(rows):
    return "\n".join(map(json.dumps, rows))


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def zipped(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return content.getvalue()


def unpacked(files):
    return archive.unpacked(zipped(files), ingest.Limits())


def rows_of(found):
    return [json.loads(line) for line in found.content.splitlines()]


def answers(outputs, name="output"):
    return [{"qid": example["qid"], name: output} for example, output in zip(EXAMPLES, outputs, strict=True)]


def test_variants_are_named_by_all_words_that_tell_their_files_apart():
    said = {name: table(answers(GOOD)) for name in ("ragas_baseline_top3", "ragas_with_reranker")}

    rows = rows_of(unpacked({f"{name}.csv": text for name, text in said.items()}))

    assert {row["model"] for row in rows} == {"baseline_top3", "with_reranker"}


def test_files_that_are_all_called_test_are_variants_if_they_ask_the_same():
    asked = [{"question": f"Who was number {n}?", "answers": [f"Ada {n}"]} for n in range(20)]
    found = {name: [row | {"ctxs": [{"text": name}]} for row in asked] for name in ("sparse", "dense")}

    rows = rows_of(unpacked({f"nq-test-{name}.json": json.dumps(rows) for name, rows in found.items()}))

    assert [row["ctxs"][0]["text"] for row in rows] == ["sparse"] * 20 + ["dense"] * 20
    assert len({row["model"] for row in rows}) == 2


@pytest.mark.parametrize("first", [0, 1])
def test_files_that_count_the_rows_join_a_table_without_names_in_its_order(first):
    gold = [("gj04" if n % 3 else "cj99", n % 2, "", f"The {n}th sailor rode.") for n in range(40)]
    text = "".join("\t".join(map(str, row)) + "\n" for row in gold)
    said = {
        name: "index\tprediction\n" + "".join(f"{n + first}\t{(n + more) % 2}\n" for n in range(40))
        for name, more in (("zero-shot", 0), ("few-shot", 1))
    }

    rows = rows_of(unpacked({"dev.tsv": text, **{f"{name}.tsv": table for name, table in said.items()}}))

    assert len(rows) == 80
    assert {row["prediction"] == list(row.values())[2] for row in rows if row["model"] == "zero-shot"} == {
        True
    }


def test_files_of_variants_join_the_examples_by_their_names():
    found = unpacked(
        {
            "run/data/test.jsonl": lines(EXAMPLES),
            "run/result/gpt-4o/answers.jsonl": lines(answers(GOOD)),
            "run/result/llama/answers.jsonl": lines(answers(POOR)[::-1]),
        }
    )

    rows = rows_of(found)
    assert len(rows) == 40
    assert rows[0] == EXAMPLES[0] | {"output": GOOD[0], "model": "gpt-4o"}
    assert rows[-1] == EXAMPLES[0] | {"output": POOR[0], "model": "llama"}
    assert found.warning.code == "archive_joined"
    assert "“qid” names the examples." in found.warning.message


def test_the_model_that_each_answer_of_a_batch_names_is_its_variant():
    def batch(model, outputs):
        return lines(
            {"custom_id": f"r-{n}", "response": {"body": {"model": model, "choices": [{"text": output}]}}}
            for n, output in enumerate(outputs)
        )

    asked = lines({"custom_id": f"r-{n}", "text": f"What is {n}?"} for n in range(len(GOOD)))
    found = unpacked(
        {"asked.jsonl": asked, "batch_1a.jsonl": batch("small", POOR), "batch_2b.jsonl": batch("large", GOOD)}
    )

    assert {row["model"] for row in rows_of(found)} == {"small", "large"}
    assert "“model” names the variants, as answers do." in found.warning.message


def test_objects_of_answers_are_tables():
    names = [example["qid"] for example in EXAMPLES]
    found = unpacked(
        {
            "SQuAD.json": json.dumps({"data": [{"paragraphs": [{"context": "c", "qas": EXAMPLES}]}]}),
            "predictions_old.json": json.dumps(dict(zip(names, POOR, strict=True))),
            "predictions_new.json": json.dumps(dict(zip(names, GOOD, strict=True))),
        }
    )

    assert {row["model"] for row in rows_of(found)} == {"old", "new"}
    assert all(row["context"] == "c" and row["prediction"] for row in rows_of(found))


def test_a_number_in_one_file_is_a_text_in_another():
    data = [{"id": number, "question": f"q{number}"} for number in range(9)]
    answers = json.dumps({str(number): f"a{number}" for number in range(9)})
    found = unpacked({"data.jsonl": lines(data), "preds_a.json": answers, "preds_b.json": answers})

    assert rows_of(found)[3] == {"question": "q3", "id": "3", "prediction": "a3", "model": "a"}


def test_right_answers_with_the_columns_of_outputs_are_none():
    found = unpacked(
        {
            "gold.csv": table(answers(GOOD, "label")),
            "pred_bert.csv": table(answers(POOR, "label")),
            "pred_gpt.csv": table(answers(GOOD, "label")),
        }
    )

    assert rows_of(found)[1] == {"expected label": "8", "qid": "q1", "label": "9", "model": "bert"}


def test_parts_of_the_examples_are_one_table():
    def part(name, key):
        return lines([{key: f"{name} {number}", "text": f"{key} of {name} {number}"} for number in range(9)])

    files = {f"data/{name}.jsonl": part(name, "id") for name in ("easy", "hard")}
    files |= {
        f"out/{model}/{name}.jsonl": part(name, "id") for model in ("x", "y") for name in ("easy", "hard")
    }
    rows = rows_of(unpacked(files))

    assert len(rows) == 36
    assert {(row["model"], row["split"]) for row in rows} == {(m, p) for m in "xy" for p in ("easy", "hard")}


def test_parts_of_different_examples_are_no_variants_in_whatever_order_folders_stand():
    files = {
        f"{part}/{model}.jsonl": lines([{"id": f"{part} {n}", "output": model} for n in range(9)])
        for part in ("easy", "hard")
        for model in ("x", "y")
    }
    rows = rows_of(unpacked(files))

    assert {(row["model"], row["split"]) for row in rows} == {(m, p) for m in "xy" for p in ("easy", "hard")}


def test_files_that_repeat_every_example_are_variants_of_their_own():
    names = [f"{model}/{run}" for model in ("x", "y") for run in ("first", "again")]
    rows = rows_of(unpacked({f"{name}.jsonl": lines(answers(GOOD)) for name in names}))

    assert {row["model"] for row in rows} == {*names}


def test_keys_that_each_part_counts_anew_are_named_after_it():
    def predictions(subject, output):
        rows = {
            str(n): {"origin_prompt": f"{subject} {n}?", "prediction": output, "gold": "A"} for n in range(8)
        }
        return json.dumps(rows)

    subjects, models = ("geography", "history"), {"qwen": "A", "llama": "B"}
    rows = rows_of(
        unpacked(
            {
                f"predictions/{model}/ceval-{subject}.json": predictions(subject, output)
                for subject in subjects
                for model, output in models.items()
            }
        )
    )

    assert len(rows) == 32
    assert {row["key"] for row in rows} == {f"ceval-{subject} {n}" for subject in subjects for n in range(8)}
    assert {(row["model"], row["prediction"]) for row in rows} == {*models.items()}


def test_splits_that_count_from_one_are_no_variants():
    other = [example | {"question": f"Another: {example['question']}"} for example in EXAMPLES]
    rows = rows_of(unpacked({"train.csv": table(EXAMPLES), "test.csv": table(other)}))

    assert [row["split"] for row in rows] == ["train"] * 20 + ["test"] * 20


def test_columns_of_different_names_stand_side_by_side():
    found = unpacked(
        {
            "questions.csv": table(EXAMPLES),
            "claude.csv": table(answers(GOOD, "claude_answer")),
            "gpt.csv": table(answers(POOR, "gpt_answer")),
        }
    )

    assert rows_of(found)[1] == EXAMPLES[1] | {"claude_answer": "8", "gpt_answer": "9"}


def test_columns_that_hold_the_name_of_their_folder_are_the_same_in_each():
    def run(model, part):
        return [
            {name: f"{part} {cell}" for name, cell in row.items()}
            | {f"{model}_correct": place % 2 == 0, f"{model}_prob": place / 9}
            for place, row in enumerate(EXAMPLES)
        ]

    found = unpacked(
        {
            f"results_{name}/{part}.csv": table(run(name, part))
            for name in ("a-7b", "b-13b")
            for part in ("x", "y_z")
        }
    )

    rows = rows_of(found)
    assert {row["model"] for row in rows} == {"a-7b", "b-13b"}
    assert all({"correct", "prob"} <= row.keys() for row in rows)


def test_texts_are_joined_by_their_lines():
    texts = {"src.txt": "question", "ref.txt": "right", "hyp_nllb.txt": "nllb", "hyp_gpt.txt": "gpt"}
    found = unpacked({name: "\n".join(f"{word} {n}" for n in range(9)) for name, word in texts.items()})

    first, *_ = rows_of(found)
    assert first == {"src": "question 0", "ref": "right 0", "line": 1, "output": "nllb 0", "model": "nllb"}
    assert "joined in their order" in found.warning.message


def test_further_tables_of_the_variants_are_merged_if_they_are_whole():
    def files(scored):
        return {
            f"{kind}/{model}/simple.jsonl": lines(rows)
            for model in ("a", "b")
            for kind, rows in {"result": answers(GOOD), "score": answers([1] * 20, "valid")[:scored]}.items()
        }

    assert rows_of(unpacked(files(20)))[0] == {"qid": "q0", "valid": 1, "output": "0", "model": "a"}
    partly = unpacked(files(5))
    assert "valid" not in rows_of(partly)[0]
    assert "Not read: “score/a/simple”" in partly.warning.message


def test_what_is_not_read_is_said():
    found = unpacked(
        {
            "q.jsonl": f"{lines(EXAMPLES)}\n{{bad",
            "a.jsonl": lines(answers(GOOD)),
            "b.jsonl": lines(answers(POOR)[:12]),
            "config.json": '{"temperature": 0}',
            "notes.md": "anything",
        }
    )

    assert len(rows_of(found)) == 32
    assert "Rows of “q.jsonl” that cannot be read: 1 (Line 21: " in found.warning.message
    assert "Not read: “config”, which does not name most of the examples." in found.warning.message


def test_a_column_that_names_the_variants_is_kept():
    rows = [{"qid": row["qid"], "model": "claude-3", "output": "x"} for row in EXAMPLES]
    found = unpacked(
        {
            "out1.jsonl": lines(rows),
            "out2.jsonl": lines([row | {"model": "gpt-4o", "output": "y"} for row in rows]),
        }
    )

    assert {row["model"] for row in rows_of(found)} == {"claude-3", "gpt-4o"}


def test_the_only_table_stands_for_the_archive():
    found = unpacked({"a/rows.csv": "question,answer\nq,a\n", "__MACOSX/a/._rows.csv": "?"})

    assert found == ("rows.csv", b"question,answer\nq,a\n", None)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a/README.md", "anything", "no table by its name"),
        ("README.txt", "How it\nwas made.", "no other text has as many lines"),
        ("empty.csv", "question,answer\n", "The file has no rows of data"),
    ],
)
def test_files_beside_the_only_table_are_named_and_change_nothing(name, text, reason):
    found = unpacked({"rows.csv": "question,answer\nq,a\n", name: text})

    assert (found.name, found.content) == ("rows.csv", b"question,answer\nq,a\n")
    assert found.warning.message == f"Not read: “{name}” ({reason})."


@pytest.mark.parametrize("unnamed", [{"qid": ""}, {"qid": None}, {}])
def test_rows_without_a_name_join_no_others(unnamed):
    labels = [*answers(GOOD, "label"), {"qid": "", "label": "7"}, {"qid": "None", "label": "8"}]
    found = unpacked(
        {"questions.jsonl": lines([*EXAMPLES, unnamed | {"question": "?"}]), "labels.jsonl": lines(labels)}
    )

    assert rows_of(found)[-1] == unnamed | {"question": "?"}


def test_rows_that_join_nothing_are_counted():
    labels = answers(GOOD, "label")
    unnamed = [row if number else {"question": "?"} for number, row in enumerate(EXAMPLES)]
    beside = unpacked(
        {"questions.jsonl": lines(EXAMPLES), "labels.jsonl": lines([*labels, labels[0], {"qid": "q99"}])}
    )
    outputs = {f"out/{name}.jsonl": lines(answers(POOR)) for name in "ab"}
    without_key = unpacked(
        {
            "questions.jsonl": lines(unnamed),
            "out/a.jsonl": lines(answers(POOR)),
            "out/b.jsonl": lines(answers(GOOD)),
        }
    )
    scores = {
        f"score/{name}.jsonl": lines([*answers(GOOD, "score"), {"qid": "q99", "score": 1}]) for name in "ab"
    }

    assert (
        "Not read: 2 rows of “labels”, whose examples are in no other file, or were named before."
        in beside.warning.message
    )
    assert "Not read: 1 example without “qid”" in without_key.warning.message
    assert "Not read: 2 rows of “score/a”" in unpacked(outputs | scores).warning.message


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"photo.png": "?"}, "no file whose name ends as that of a table"),
        ({"a.csv": "x\n1\n2\n", "b.csv": "y\n3\n4\n5\n"}, "do not name the same examples"),
        ({"a.json": "{}", "b.json": "1"}, "None of the files is a table"),
        ({f"{n}.csv": "x\n1\n" for n in range(archive.MOST_TABLES + 1)}, "more than 200 tables"),
        ({"a.csv": "x\n" + "1\n" * (archive.MOST_UNPACKED // 2)}, "unpacks to more than"),
    ],
    ids=["no table", "nothing in common", "no rows", "many", "large"],
)
def test_archives_without_a_table_are_refused(files, words):
    with pytest.raises(ingest.FileError, match=words):
        unpacked(files)


def test_a_damaged_archive_is_refused():
    with pytest.raises(ingest.FileError, match="cannot be read"):
        archive.unpacked(zipped({"a.csv": "x\n1\n"})[:-30], ingest.Limits())


@pytest.mark.parametrize("first", ["xl/workbook.xml", "word/document.xml", "_journal/start.json"])
def test_what_a_program_wrote_is_no_archive_of_tables(first):
    assert not archive.is_archive(io.BytesIO(zipped({first: "{}", "[Content_Types].xml": ""})))


def test_a_workbook_may_be_inside():
    assert archive.is_archive(io.BytesIO(zipped({"a.csv": "x\n1\n", "xl/workbook.xml": ""})))


def test_damage_at_any_place_is_a_refusal():
    whole = zipped(
        {"q.jsonl": lines(EXAMPLES), "a.csv": table(answers(GOOD)), "b.json": json.dumps({"q1": "x"})}
    )
    chance = random.Random(5)
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        with suppress(ingest.FileError):
            archive.unpacked(bytes(content), ingest.Limits())


def test_texts_that_cannot_be_stored_are_replaced():
    answers = '{"1": "a\\ud800", "2": "b\\u0000", "3": "c", "4": "d", "5": "e"}'
    found = unpacked({"preds_a.json": answers, "preds_b.json": answers})

    assert rows_of(found)[0]["prediction"] == rows_of(found)[1]["prediction"].replace("b", "a") == "a\ufffd"


def test_objects_under_the_same_names_are_columns_of_one_table():
    names = [example["qid"] for example in EXAMPLES]

    def predictions(outputs):
        facts = {name: [["a page", 0]] for name in names}
        return json.dumps({"answer": dict(zip(names, outputs, strict=True)), "sp": facts})

    data = json.dumps([{"_id": one["qid"]} | one for one in EXAMPLES])
    rows = rows_of(
        unpacked({"dev.json": data, "pred_old.json": predictions(POOR), "pred_new.json": predictions(GOOD)})
    )

    assert len(rows) == 40
    assert rows[1]["expected answer"] == GOOD[1]
    assert (rows[1]["answer"], rows[1]["sp"], rows[1]["model"]) == (POOR[1], [["a page", 0]], "old")


def test_runs_of_trec_join_queries_and_judgements():
    queries = "".join(f"{n}\twhat is the name of {n}\n" for n in range(100, 108))
    judged = "".join(f"{n} 0 d{n} 2\n{n} 0 d1 0\n" for n in range(100, 108))

    def run(first, second, tag):
        return "".join(
            f"{n} Q0 {first}{n} 1 9.5 {tag}\n{n} Q0 {second} 2 3.5 {tag}\n" for n in range(100, 108)
        )

    files = {"2019qrels.txt": judged, "queries.tsv": queries}
    files |= {"run.good.trec": run("d", "d1", "good"), "run.poor.trec": run("e", "d1", "poor")}
    rows = rows_of(unpacked(files))

    assert len(rows) == 16
    assert rows[0] == {
        "id": "100",
        "reference": {"d100": 2, "d1": 0},
        "query": "what is the name of 100",
        "output": ["d100", "d1"],
        "model": "good",
    }


def test_tables_named_after_the_data_are_those_of_variants_if_they_have_outputs():
    def sheet(outputs):
        return table([one | {"prediction": given} for one, given in zip(EXAMPLES, outputs, strict=True)])

    files = {
        "Qwen-7B/Qwen-7B_Chart_TEST.csv": sheet(GOOD),
        "llava_13b/llava_13b_Chart_TEST.csv": sheet(POOR),
    }
    rows = rows_of(unpacked(files))

    assert len(rows) == 40
    assert {row["model"] for row in rows} == {"Qwen-7B", "llava_13b"}
    assert {*rows[0]} == {*EXAMPLES[0], "prediction", "model"}


def test_outputs_beside_each_other_are_both_named_after_their_files():
    data = [one | {"prediction": given} for one, given in zip(EXAMPLES, GOOD, strict=True)]
    other = [
        {
            "qid": one["qid"],
            "answer": one["answer"],
            "prediction": given,
            "seconds": 1,
            "tokens": 2,
            "cost": 3,
        }
        for one, given in zip(EXAMPLES, POOR, strict=True)
    ]
    rows = rows_of(unpacked({"run_small.csv": table(data), "run_large.csv": table(other)}))

    assert (rows[1]["small prediction"], rows[1]["large prediction"]) == (GOOD[1], POOR[1])
    assert {*rows[0]} == {*EXAMPLES[0], "small prediction", "large prediction", "seconds", "tokens", "cost"}


def test_tables_without_common_examples_are_named():
    with pytest.raises(ingest.FileError, match=r"“a” and “b” do not name the same examples") as refused:
        unpacked({"a.csv": "x\n1\n2\n", "b.csv": "y\n3\n4\n5\n"})
    assert "Unpack" not in refused.value.hint


def test_run_folders_are_one_table_with_the_model_of_each_and_what_was_asked():
    right = [{"output": {"text": "Yes"}, "tags": ["correct"]}, {"output": {"text": "No"}, "tags": []}]
    asked = [
        {"id": f"id{n}", "input": {"text": f"Is {n} odd?"}, "references": right, "split": "test"}
        for n in range(20)
    ]
    files = {}
    for model, said in (("gpt-4o", "yes"), ("llama-3", "no")):
        folder = f"out/runs/v1/legal:subset=a,model={model}"
        said = [{"instance_id": one["id"], "predicted_text": said, "stats": {"em": 1}} for one in asked]
        counted = [{"instance_id": one["id"], "stats": [{"name": "em", "sum": 1}]} for one in asked]
        files[f"{folder}/instances.json"] = json.dumps(asked)
        files[f"{folder}/display_predictions.json"] = json.dumps(said)
        files[f"{folder}/per_instance_stats.json"] = json.dumps(counted)
    rows = rows_of(unpacked(files))

    assert [row["model"] for row in rows] == ["gpt-4o"] * 20 + ["llama-3"] * 20
    assert [row["predicted_text"] for row in rows] == ["yes"] * 20 + ["no"] * 20
    assert {row["reference"] for row in rows} == {"Yes"}
    assert rows[3]["input"] == "Is 3 odd?"


def test_states_of_requests_say_what_was_asked_and_answered():
    def state(n, said):
        instance = {
            "id": f"id{n}",
            "input": {"text": f"Is {n} odd?"},
            "references": [{"output": {"text": "Yes"}, "tags": ["correct"]}],
            "split": "test",
        }
        return {"instance": instance, "result": {"completions": [{"text": said}]}}

    files = {
        f"runs/legal,model={model}/scenario_state.json": json.dumps(
            {"adapter_spec": {"method": "generation"}, "request_states": [state(n, said) for n in range(20)]}
        )
        for model, said in (("gpt-4o", "yes"), ("llama-3", "no"))
    }
    rows = rows_of(unpacked(files))

    assert [row["model"] for row in rows] == ["gpt-4o"] * 20 + ["llama-3"] * 20
    assert (rows[0]["reference"], rows[0]["predicted_text"]) == ("Yes", "yes")


def test_what_a_program_wrote_behind_each_answer_is_cut_and_said():
    said = {str(n): f"select {n}\t----- bird -----\tschool" for n in range(20)}
    data = [
        {"question_id": n, "db_id": "school", "question": f"q{n}", "SQL": f"select {n}"} for n in range(20)
    ]
    found = unpacked({"dev.json": json.dumps(data), "predict_a.json": json.dumps(said)})

    assert {row["prediction"] for row in rows_of(found)} == {f"select {n}" for n in range(20)}
    assert "“----- bird -----” and the word behind it are cut off" in found.warning.message


def test_tables_without_names_of_columns_join_by_the_examples_they_name():
    asked = [{"id": f"q{n}", "question": f"What is {n}?", "answer": "yes"} for n in range(9)]
    said = {f"{name}.csv": "".join(f"q{n},{name} {n}\n" for n in range(9)) for name in ("small", "large")}

    found = unpacked({"dev.jsonl": lines(asked), **said})

    assert len(rows_of(found)) == 18
    assert rows_of(found)[0]["prediction"] == "small 0"


def test_a_file_of_objects_is_a_table_whatever_its_name_ends_in():
    found = unpacked(
        {"v1.0.dev": lines(EXAMPLES), "notes.md": "[a link](here)", "small.csv": table(answers(GOOD))}
    )

    assert "question" in rows_of(found)[0]
    assert "notes.md" in found.warning.message


def test_texts_with_the_database_of_each_query_join_what_was_asked_by_lines():
    asked = [{"db_id": "shop", "question": f"Which item is {n}?", "query": f"SELECT {n}"} for n in range(9)]
    gold = "".join(f"SELECT {n}\tshop\n" for n in range(9))
    said = {
        f"{name}.sql": "".join(f"SELECT {n * two}\n" for n in range(9)) for name, two in (("a", 1), ("b", 2))
    }

    found = unpacked({"dev.json": json.dumps(asked), "dev_gold.sql": gold, **said})

    first = {name: rows_of(found)[1][name] for name in ("question", "dev_gold", "output", "model")}
    assert first == {
        "question": "Which item is 1?",
        "dev_gold": "SELECT 1",
        "output": "SELECT 1",
        "model": "a",
    }


def test_texts_whose_first_words_name_the_same_examples_join_by_them():
    said = {name: [f"utt{n} {name} says {n}" for n in range(9)] for name in ("ref", "small", "large")}

    found = unpacked(
        {f"{name}/text": "\n".join(texts[::-1] if name == "large" else texts) for name, texts in said.items()}
    )

    assert len(rows_of(found)) == 18
    assert {"id": "utt3", "ref": "ref says 3", "output": "large says 3", "model": "large"} in rows_of(found)


def test_turns_that_a_story_and_a_number_name_are_examples():
    def side(texts):
        return [{"input_text": text, "turn_id": turn} for turn, text in enumerate(texts, 1)]

    stories = [
        {
            "id": f"s{n}",
            "story": f"Ada {n} wrote.",
            "questions": side([f"Who of {n}?", f"When of {n}?"]),
            "answers": side(["Ada", "1843"]),
            "additional_answers": {"0": side(["Ada L.", "in 1843"])},
        }
        for n in range(6)
    ]
    said = [{"id": f"s{n}", "turn_id": turn, "answer": "Ada"} for n in range(6) for turn in (1, 2)]
    files = {"coqa.json": json.dumps({"version": "1.0", "data": stories})}

    found = unpacked(files | {f"{name}_predictions.json": json.dumps(said) for name in ("small", "large")})

    [_, second, *_] = rows_of(found)
    assert len(rows_of(found)) == 24
    assert (second["example_id"], second["question"], second["answer"]) == ("s0 2", "When of 0?", "Ada")
    assert (second["expected answer"], second["answer_2"]) == ("1843", "in 1843")


def test_the_filled_field_of_a_right_answer_is_the_answer():
    empty = {"number": "", "date": {"day": "", "year": ""}, "spans": []}
    filled = [{"number": "93"}, {"spans": ["Ada"]}, {"date": {"day": "4", "year": "1843"}}]
    right = [{"id": n, "question": f"q{n}?", "answer": empty | filled[n % 3]} for n in range(9)]
    said = lines([{"id": n, "prediction": "93"} for n in range(9)])

    found = rows_of(unpacked({"gold.jsonl": lines(right), "preds_a.jsonl": said, "preds_b.jsonl": said}))

    assert [row["answer"] for row in found[:3]] == ["93", "Ada", "4 1843"]


def test_sentences_of_tagged_words_have_their_entities():
    def said(tag):
        words = [f"Ada NNP B-PER {tag}", f"Byron NNP I-PER {tag.replace('B', 'I')}", "wrote VBD O O"]
        return "\n\n".join("\n".join(words) for _ in range(6))

    found = rows_of(unpacked({"crf.conll": said("O"), "bert.conll": said("B-PER")}))

    assert [row["expected entities"] for row in found[:2]] == [[ADA], [ADA]]
    assert {row["model"]: row["predicted entities"] for row in found} == {"crf": [], "bert": [ADA]}


TAGGED = "".join(
    f"Ada NNP B-NP B-PER O B-PER\nByron{n} NNP I-NP I-PER O B-PER\nwrote VBD B-VP O O O\n\n" for n in range(6)
)


@pytest.mark.parametrize(
    ("first", "names"),
    [
        ("# columns: word pos chunk GOLD crf bert-base\n-DOCSTART- -X- O O O O\n\n", ["crf", "bert-base"]),
        ("Wort Wortart Phrase Referenz flair spacy\n", ["flair", "spacy"]),
        ("", ["1", "2"]),
    ],
)
def test_a_text_of_tagged_words_has_what_each_model_says(first, names):
    [row, *_] = rows_of(archive.unpacked_sentences((first + TAGGED).encode()))

    assert [*row] == ["sentence", "expected entities", *(f"output_{name}" for name in names)]
    assert row["expected entities"] == [{"type": "PER", "text": "Ada Byron0", "word": 1}]
    assert row[f"output_{names[0]}"] == []


def test_numbers_of_words_before_them_are_no_words_and_predicted_is_no_part_of_a_name():
    sentence = "1\tAda\tB-PER\tO\tB-PER\n2\twrote\tO\tO\tO\n\n"
    text = "#idx\ttoken\tgold\tpred_crf\tpred_gbert\n" + sentence * 6

    [row, *_] = rows_of(archive.unpacked_sentences(text.encode()))

    assert [*row] == ["sentence", "expected entities", "output_crf", "output_gbert"]
    assert (row["sentence"], row["output_gbert"][0]["text"]) == ("Ada wrote", "Ada")


def test_words_with_tags_that_nobody_predicted_are_no_sentences_of_models():
    of_corpus = (
        TAGGED.replace(" B-PER O B-PER", " B-PER").replace(" I-PER O B-PER", " I-PER").replace(" O O O", " O")
    )
    assert archive.unpacked_sentences(of_corpus.encode()) is None
    assert archive.unpacked_sentences(b"a,b,gold\nO,O,O\n" * 9) is None


@pytest.mark.parametrize(
    ("sample", "is_variant"),
    [
        ("sample_submission.csv", False),
        ("abgaben/Vorlage.csv", False),
        ("abgaben/submission_always-0.csv", True),
    ],
)
def test_a_sample_of_what_to_hand_in_is_no_variant(sample, is_variant):
    def submitted(price):
        return table([{"Id": 1461 + n, "SalePrice": price(n)} for n in range(20)])

    found = unpacked(
        {
            sample: submitted(lambda n: 169277.05),
            "test.csv": table([{"Id": 1461 + n, "GrLivArea": 700 + n * 31} for n in range(20)]),
            "solution.csv": submitted(lambda n: 120000 + n * 731),
            "abgaben/submission_lgbm.csv": submitted(lambda n: 121000 + n * 725),
            "abgaben/submission_catboost.csv": submitted(lambda n: 119000 + n * 751),
        }
    )

    variants = {row["model"] for row in rows_of(found)}
    assert len(variants) == 2 + is_variant
    assert ("a sample with one answer" in found.warning.message) is not is_variant


def as_pages(said, of):
    return {
        f"eval/{path}": said(number, system) for number in range(70) for system, path in of(number).items()
    }


@pytest.mark.parametrize(
    "of",
    [
        lambda n: {"truth": f"gt/l{n}.gt.txt", "kraken": f"kraken/l{n}.txt", "tess": f"tess/l{n}.txt"},
        lambda n: {one: f"lines/l{n}.{one}.txt" for one in ("truth", "kraken", "tess")},
        lambda n: {one: f"l{n}/{one}.txt" for one in ("truth", "kraken", "tess")},
    ],
)
def test_files_of_one_example_each_are_rows(of):
    found = unpacked(
        as_pages(
            lambda n, system: f"Zeile {n}\nvon {system}\x0c\n" + "x\n" * (n % 2 + (system == "tess")), of
        )
        | {"eval/README.txt": "CER\n"}
    )

    rows = {(row["id"], row["model"]): row for row in rows_of(found)}
    assert len(rows) == 140
    assert [rows["l7", "kraken"][name] for name in ("reference", "output")] == [
        "Zeile 7\nvon truth\x0c\nx",
        "Zeile 7\nvon kraken\x0c\nx",
    ]
    assert "70 of “kraken”" in found.warning.message


def test_objects_of_one_example_each_are_answers():
    def said(n, system):
        return json.dumps({"total": f"{n}.00", "company": "ACME" if n % 3 or system == "gt" else "ACNE"})

    found = unpacked(
        as_pages(said, lambda n: {one: f"{one}/X{n}.json" for one in ("gt", "donut", "layoutlm")})
    )

    [row] = [row for row in rows_of(found) if (row["id"], row["model"]) == ("X3", "donut")]
    assert (row["reference"]["company"], row["output"]["company"]) == ("ACME", "ACNE")


def test_texts_with_a_line_for_each_example_stay_so_in_folders_of_several_test_sets():
    lined = "".join(f"line {n}\n" for n in range(9))

    found = unpacked({f"{of}/newstest{n}.txt": lined for of in ("ref", "small", "large") for n in range(6)})

    assert {row["output"] for row in rows_of(found)} == {*lined.splitlines()}


def test_judgements_as_beir_has_them_join_runs_and_the_corpus_does_not():
    queries = [{"_id": f"q{n}", "text": f"Does {n} help?"} for n in range(8)]
    corpus = [{"_id": f"d{n}", "title": "t", "text": "x"} for n in range(40)]
    grades = [{"query-id": f"q{n}", "corpus-id": f"d{n + at}", "score": 1} for n in range(8) for at in (0, 9)]
    run = "".join(f"q{n} Q0 d{n + at} {at + 1} {9 - at} bm25\n" for n in range(8) for at in range(3))
    files = {"queries.jsonl": lines(queries), "corpus.jsonl": lines(corpus)}

    found = unpacked(
        files
        | {
            "bm25.trec": run,
            "e5.trec": run.replace("bm25", "e5"),
            "qrels/test.tsv": table(grades).replace(",", "\t"),
        }
    )

    assert [rows_of(found)[0][name] for name in ("id", "text", "reference")] == [
        "q0",
        "Does 0 help?",
        {"d0": 1, "d9": 1},
    ]
    assert "“corpus.jsonl” (it has the documents that are ranked)" in found.warning.message


def test_numbers_beside_the_answers_of_a_model_are_no_variant():
    gold = {"gold.jsonl": lines([{"id": f"q{n}", "question": f"{n}?", "answer": "Ada"} for n in range(9)])}
    said = {
        f"{name}/predictions.json": json.dumps({f"q{n}": "Ada" for n in range(9)}) for name in ("bert", "t5")
    }
    odds = {
        f"{name}/null_odds.json": json.dumps({f"q{n}": n / 7 - 2.1 for n in range(9)})
        for name in ("bert", "t5")
    }

    found = unpacked(gold | said | odds)

    assert {row["model"] for row in rows_of(found)} == {"bert", "t5"}
    assert "numbers beside the answers of its folder" in found.warning.message


def test_a_solution_beside_submissions_is_right():
    def labels(said):
        return "id,label\n" + "".join(f"{n},{label}\n" for n, label in enumerate(said))

    right = ["ab"[n % 2] for n in range(20)]
    found = unpacked(
        {
            "solution.csv": labels(right),
            "submission_old.csv": labels(["a"] * 20),
            "submission_new.csv": labels(right),
        }
    )

    rows = rows_of(found)
    assert {row["model"] for row in rows} == {"old", "new"}
    assert [row["expected label"] for row in rows[:20]] == right


def test_runs_of_three_fields_are_rankings_beside_judgements_and_queries():
    def run(shift):
        return "".join(
            f"{100 + n}\t{50 + n + (k + shift) % 4}\t{k + 1}\n" for n in range(9) for k in range(4)
        )

    found = unpacked(
        {
            "qrels.dev.tsv": "".join(f"{100 + n}\t0\t{50 + n}\t1\n" for n in range(9)),
            "queries.dev.tsv": "".join(f"{100 + n}\tWhat is {n}, and where?\n" for n in range(9)),
            "run.bm25.tsv": run(1),
            "run.dense.tsv": run(0),
        }
    )

    [row, *_] = rows_of(found)
    assert (row["id"], row["query"], row["reference"]) == ("100", "What is 0, and where?", {"50": 1})
    assert row["output"] == ["51", "52", "53", "50"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (
            ("details/org-a/small/2025-01-21T16-02", "details/org-b/large/2025-01-22T09-15"),
            {"org-a/small", "org-b/large"},
        ),
        (("runs/small/2025-01-21T16-02", "runs/large/2025-01-22T09-15"), {"small", "large"}),
        (("runs/small/eval", "runs/large/eval"), {"small", "large"}),
    ],
)
def test_a_variant_is_named_after_the_organisation_and_its_model(folders, names):
    def rows(end):
        lines = [
            {"id": f"q{n}", "question": f"{n}?", "gold": f"{n}", "prediction": f"{n}{end}"} for n in range(6)
        ]
        return "\n".join(map(json.dumps, lines))

    found = rows_of(unpacked({f"{folder}/out.jsonl": rows(at) for at, folder in enumerate(folders)}))

    assert {row["model"] for row in found} == names


def database(**outputs):
    runs = [{"run_id": n, "model_name": f"model-{n}", "is_baseline": "tf"[n % 2]} for n in (1, 2)]
    cases = [{"case_id": n, "question": f"How many are {n}?", "gold_sql": f"SELECT {n}"} for n in range(30)]
    said = [
        {"output_id": f"{run}-{n}", "run_id": run, "case_id": n, "generated_sql": f"SELECT {n + n % run}"}
        | {"executed_ok": "t" if n % 5 else "f", "result_match": "t" if n % 5 and n % 2 else "f"}
        | {"error_message": "\\N" if n % 5 else "no such table"}
        | outputs
        for run in (1, 2)
        for n in range(30)
    ]
    return {"eval_run.csv": table(runs), "eval_case.csv": table(cases), "eval_output.csv": table(said)}


def test_tables_of_a_database_are_joined_by_the_ids_of_each_other():
    found = unpacked(database())

    first, *_, last = rows_of(found)
    assert len(rows_of(found)) == 60
    assert (first["model_name"], last["model_name"], last["question"]) == (
        "model-1",
        "model-2",
        "How many are 29?",
    )
    assert (first["executed_ok"], last["executed_ok"], last["error_message"]) == (False, True, None)
    assert "“run_id” and “case_id” name the rows of the other tables." in found.warning.message
    preview = ingest.preview(io.BytesIO(found.content), "rows.jsonl", limits=ingest.Limits())
    assert preview.guesses["result_match"].role == "score"


def test_an_id_that_another_table_does_not_have_joins_no_tables():
    assert "name the rows of the other tables" not in unpacked(database(run_id=7)).warning.message


def test_files_are_named_by_their_words_before_the_ids_that_a_service_gave_them():
    files = {
        "gold.csv": table(EXAMPLES),
        "batch_67a1f0c2_output_prompt_v1.jsonl": lines(answers(GOOD)),
        "batch_67a2b9d8_output_prompt_v2.jsonl": lines(answers(POOR)),
    }

    assert {row["model"] for row in rows_of(unpacked(files))} == {"v1", "v2"}
