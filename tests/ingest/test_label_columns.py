"""Labels with a right column each are objects: no label is compared with the right column of another one."""

import pytest

from evaluations import ingest
from evaluations.kinds.advising import advise

from .test_field_grids import read


def row(n, **beside):
    """A text with two labels, not scored in each fifth row."""
    is_scored = n % 5
    return {
        "id": n,
        "text": f"Comment number {n}",
        "expected toxic": n % 2 if is_scored else -1,
        "expected threat": int(n % 3 == 0) if is_scored else -1,
        "toxic": 0.9 if n % 2 else 0.1,
        "threat": 0.7 if n % 3 == 0 else 0.0,
    } | beside


def test_each_label_stands_beside_its_own_right_column():
    fmt, rows, reader = read([row(n) for n in range(1, 40)])

    assert rows[0]["expected"] == {"toxic": 1, "threat": 0}
    assert rows[0]["prediction"] == {"toxic": 0.9, "threat": 0.0}
    assert reader.outputs == {"prediction": "prediction"}
    [warning] = fmt.warnings
    assert warning.code == "labels_beside_each_other"
    assert "-1" in warning.message


def test_a_mark_in_all_right_columns_is_no_right_answer():
    _, rows, _ = read([row(n) for n in range(1, 40)])

    assert [one["id"] for one in rows if one["expected"] is None] == [5, 10, 15, 20, 25, 30, 35]


def test_a_mark_in_some_right_columns_alone_may_be_an_answer():
    fmt, _, _ = read([row(n) | {"expected threat": n % 2} for n in range(1, 40)])

    assert fmt.grid == ()


def test_columns_of_several_models_are_an_object_for_each():
    rows = [row(n) for n in range(1, 40)]
    rows = [
        {name: value for name, value in one.items() if name not in ("toxic", "threat")}
        | {"toxic_bert": one["toxic"], "threat_bert": one["threat"], "toxic_lstm": 0.4, "threat_lstm": 0.2}
        for one in rows
    ]
    _, read_rows, reader = read(rows)

    assert reader.outputs == {"bert": "bert", "lstm": "lstm"}
    assert read_rows[0]["lstm"] == {"toxic": 0.4, "threat": 0.2}


@pytest.mark.parametrize(
    "others",
    [
        {"gpt_correct": 1, "gpt_score": 0.3, "llama_correct": 0, "llama_score": 0.5},
        {"expected toxic": 1, "toxic": 0.3},
        {"expected total": 12, "total": 11, "expected tax": 2, "tax": 2},
    ],
    ids=["verdicts on models", "one label", "no labels"],
)
def test_other_columns_are_no_labels(others):
    fmt, _, _ = read([{"id": n, "text": f"Text {n}"} | others for n in range(30)])

    assert fmt.grid == ()


def test_a_chance_above_a_half_says_that_a_label_holds():
    references = [{"toxic": "1", "threat": "0"}] * 30
    advised = advise(references, [{"toxic": "0.8", "threat": "0.45"}] * 30)

    assert advised.kind == "json_fields"
    assert advised.config["rules"]["$.threat"] == {"rule": "number", "tolerance": 0.4999}


def test_the_format_survives_its_storage():
    fmt, _, _ = read([row(n) for n in range(1, 40)])

    assert ingest.Format.from_dict(fmt.as_dict()) == fmt
