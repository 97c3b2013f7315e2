"""Tables of variants inside one JSON object."""

import json

import pytest

from evaluations.ingest import archive

GOLD = {f"q{n}": f"answer {n}" for n in range(9)}
SAID = {f"q{n}": f"answer {n * 2}" for n in range(9)}


def unpacked(value):
    return archive.unpacked_object(json.dumps(value).encode())


def rows_of(found):
    return [json.loads(line) for line in found.content.splitlines()]


def test_lists_under_the_names_of_variants_are_their_outputs():
    asked = [{"question": f"{n}?", "expected": f"{n}"} for n in range(9)]
    said = {name: [row | {"answer": name} for row in asked] for name in ("small", "large")}

    rows = rows_of(unpacked({"date": "2026-11-30", **said}))

    assert len(rows) == 18
    assert rows[9] == {"question": "0?", "expected": "0", "answer": "large", "model": "large"}


def test_lists_of_systems_that_translate_the_same_sources_are_their_outputs():
    asked = [{"src": f"sentence {n}", "mt": "", "ref": f"Satz {n}"} for n in range(9)]
    said = {name: [row | {"mt": f"{name} {row['ref']}"} for row in asked] for name in ("small", "large")}

    rows = rows_of(unpacked(said))

    assert [row["model"] for row in rows] == ["small"] * 9 + ["large"] * 9
    assert rows[9]["mt"] == "large Satz 0"


@pytest.mark.parametrize(
    "inside", [lambda said: said, lambda said: {key: {"answer": said[key]} for key in said}]
)
def test_answers_of_variants_join_the_right_ones(inside):
    said = {"small": inside(SAID), "large": inside(GOLD)}

    rows = rows_of(unpacked({"gold": GOLD, "predictions": said}))

    assert [row["id"] for row in rows] == [*GOLD, *GOLD]
    assert {row["model"] for row in rows} == {"small", "large"}
    assert all(GOLD[row["id"]] in row.values() for row in rows)


@pytest.mark.parametrize(
    "value",
    [
        {
            "small": {"f1": 0.5, "em": 0.4, "bleu": 3, "n": 9, "ms": 2},
            "large": {"f1": 1, "em": 1, "bleu": 1, "n": 9, "ms": 1},
        },
        {
            "train": [{"q": n, "answer": n} for n in range(9)],
            "test": [{"q": n, "answer": n} for n in range(20, 29)],
        },
        {
            "rows": [{"q": f"{n}?", "output": "x"} for n in range(9)],
            "columns": [{"name": f"{n}"} for n in range(9)],
        },
        {f"q{n}": {"question": "?", "answer": f"{n}"} for n in range(9)},
        [1, 2],
    ],
)
def test_other_objects_stay_as_they_are(value):
    assert unpacked(value) is None
