"""Reward models are right where the chosen text has a higher score than the rejected one."""

import io
import json
import zipfile

from evaluations import ingest
from evaluations.ingest import archive

SIZE = 24


def by_column(model, **columns):
    asked = {"id": [*range(SIZE)], "text_chosen": [f"Good answer {n}" for n in range(SIZE)]}
    asked |= {"text_rejected": [f"Bad answer {n}" for n in range(SIZE)]}
    return {"model": model, **asked, **columns}


def read(content, name="rows.jsonl"):
    file = io.BytesIO(content)
    fmt = ingest.sniff(file, name, limits=ingest.Limits())
    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt
    return ingest.preview(file, name, limits=ingest.Limits()), ingest.detect_long(file, fmt, ingest.Limits())


def test_tables_by_column_in_an_archive_are_variants_by_what_says_which_text_has_more():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        for place, model in enumerate(("ultra", "mistral")):
            scores = {
                "scores_chosen": [(n * 7 + place) % 23 / 3 for n in range(SIZE)],
                "scores_rejected": [(n * 3 + place) % 19 / 3 for n in range(SIZE)],
            }
            files.writestr(f"scores/org/{model}.json", json.dumps(by_column(model, **scores)))
            summary = {"easy": 0.75, "hard": 0.5, "code": 0.6, "math": 0.4, "model": model, "kind": "Seq."}
            files.writestr(f"summary/org/{model}.json", json.dumps(summary))

    seen, long = read(archive.unpacked(packed.getvalue(), ingest.Limits()).content)

    assert len(seen.rows[0]) == len(seen.columns)
    assert seen.rows[0]["ranked right"] == int(
        seen.rows[0]["scores_chosen"] > seen.rows[0]["scores_rejected"]
    )
    assert seen.guesses["ranked right"].role == "score"
    assert "scores_of_pairs" in [warning.code for warning in seen.warnings]
    assert (long.variant, long.grades) == ("model", ("ranked right",))


def test_a_column_that_says_so_already_gets_no_second_one():
    rows = [{"id": n, "score_chosen": n % 5, "score_rejected": n % 3 + 0.5} for n in range(SIZE)]
    rows = [row | {"result": int(row["score_chosen"] > row["score_rejected"])} for row in rows]

    assert "ranked right" not in read("\n".join(map(json.dumps, rows)).encode())[0].columns


def test_lengths_of_chosen_and_rejected_texts_are_no_scores():
    rows = [{"prompt": f"Say {n}", "chosen_tokens": n * 7 % 5, "rejected_tokens": n % 3} for n in range(SIZE)]

    assert [*read("\n".join(map(json.dumps, rows)).encode())[0].columns] == [*rows[0]]
