"""Verdicts about sides that no column names are said not to be read."""

import io
import json

import pytest

from evaluations import ingest

VERDICTS = ["A>>B", "B>A", "A=B"]


def warned(rows):
    content = json.dumps(rows).encode()
    preview = ingest.preview(io.BytesIO(content), "rows.json", limits=ingest.Limits())
    return [warning.message for warning in preview.warnings if warning.code == "verdicts_of_sides"]


def rows_with(verdict, **more):
    texts = [{"prompt": f"letter {n}", "model_answer": f"Dear {n}."} for n in range(12)]
    return [row | {"game": verdict(VERDICTS[n % 3])} | more for n, row in enumerate(texts)]


@pytest.mark.parametrize(
    "verdict", [str, lambda text: [{"judgment": f"It is [[{text}]]", "score": text}] * 2]
)
def test_verdicts_about_sides_without_names_are_named(verdict):
    [message] = warned(rows_with(verdict))

    assert message.startswith("The verdicts in “game”, such as A>B, are not read")


def test_verdicts_beside_what_is_right_are_not_missed():
    assert warned(rows_with(str, reference="B>A")) == []


def test_other_texts_are_no_verdicts():
    assert warned(rows_with(lambda text: f"see {text}")) == []
