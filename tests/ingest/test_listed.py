"""Several right answers in one cell become a list, of which any is right, as in TruthfulQA."""

import io
import json

import pytest

from evaluations import ingest
from evaluations.ingest import listed


def preview(sign, names=("Best Answer", "Correct Answers"), rows=14):
    lines = [f"Question;{';'.join(names)};model a;model b".replace(";", "\t")]
    for n in range(rows):
        right, other, wrong = (f"{word} number {n} is so" for word in ("thing", "matter", "nothing"))
        said = (right, other, wrong)
        lines.append("\t".join([f"What is {n}?", right, sign.join([other, right]), said[n % 3], said[n % 2]]))
    return ingest.preview(io.BytesIO("\n".join(lines).encode()), "t.tsv", limits=ingest.Limits())


@pytest.mark.parametrize("sign", ["; ", " | ", "||"])
def test_the_answers_are_right_by_themselves(sign):
    seen = preview(sign)

    assert seen.rows[0]["Correct Answers"] == ["matter number 0 is so", "thing number 0 is so"]
    roles = seen.roles | {name: guess.role for name, guess in seen.guesses.items()}
    assert (roles["Correct Answers"], roles["Best Answer"]) == ("reference", "metadata")
    assert "answers_listed" in [warning.code for warning in seen.warnings]


@pytest.mark.parametrize(
    ("names", "rows"), [(("Answer", "Options"), 14), (("Best Answer", "Correct Answers"), 9)]
)
def test_options_and_few_rows_stay_texts(names, rows):
    assert preview("; ", names, rows).format.listed == ()


def test_objects_with_an_answer_each_are_several_right_answers():
    rows = [
        {
            "question": f"What is {n}?",
            "answers": [{"answer": f"{word} {n}", "answer_id": k} for k, word in enumerate("aab")],
        }
        for n in range(12)
    ]
    file = io.BytesIO("\n".join(map(json.dumps, rows)).encode())

    seen = ingest.preview(file, "vqa.jsonl", limits=ingest.Limits())

    assert seen.rows[3]["answers"] == ["a 3", "b 3"]
    assert seen.roles["answers"] == "reference"


@pytest.mark.parametrize("cell", ["red", 5, {"answer": "red"}, ["red"]])
def test_a_later_cell_without_such_objects_stays_as_it_is(cell):
    rows = [
        {"question": f"What is {n}?", "answers": [{"answer": f"it {n}", "answer_id": k} for k in range(2)]}
        for n in range(12)
    ]

    assert listed.with_lists({"answers": cell}, listed.find(rows)) == {"answers": cell}


def test_accepted_answers_between_commas_are_a_list_where_outputs_say_one_of_them():
    accepted = ["free of charge, no extra cost", '"1,50 €", a euro fifty', "by train, by bus, on foot"]
    said = ["Hello, no extra cost!", "That is 1,50 € here.", "You get there by bus."]
    rows = [
        {
            "Question": f"What about number {n}?",
            "Accepted answers": accepted[n % 3],
            "Bot": said[n % 3],
        }
        for n in range(12)
    ]

    assert listed.find(rows) == (("Accepted answers", ","),)
    assert listed.with_lists(rows[1], listed.find(rows))["Accepted answers"] == ["1,50 €", "a euro fifty"]


def test_tags_between_commas_that_outputs_say_together_stay_a_text():
    rows = [
        {"Question": f"Which tags has {n}?", "Accepted answers": "red, blue, old", "Bot": "red, blue, old"}
        for n in range(12)
    ]

    assert listed.find(rows) == ()
