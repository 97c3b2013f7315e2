"""Marks of several raters by quality, in lists of objects, are a column for each quality."""

import io
import json

import pytest

from evaluations import ingest
from evaluations.ingest import rated
from tests.ingest.test_guesses import guessed

MODELS = ("M0", "M22")


def rows(low, high):
    return [
        {
            "id": f"doc-{n}",
            "text": f"The town council met on day {n} and spoke of the bridge.",
            "decoded": f"The council met, says {model} of {n}.",
            "expert_annotations": [
                {"coherence": 1 + (n + k) % 3 + place, "fluency": 2 + (n * k + place) % 3} for k in range(3)
            ],
            "model_id": model,
        }
        for n in range(low, high)
        for place, model in enumerate(MODELS)
    ]


def test_each_quality_is_a_column_with_what_all_raters_said():
    content = io.BytesIO("\n".join(map(json.dumps, rows(0, 20))).encode())
    fmt = ingest.sniff(content, "rows.jsonl", limits=ingest.Limits())
    [first, *_] = [row for batch in ingest.open_rows(content, fmt, ingest.Limits()) for row in batch.rows]

    assert first["expert_annotations coherence"] == [1, 2, 3]
    assert "expert_annotations" not in first
    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))) == fmt
    long = ingest.detect_long(content, fmt, ingest.Limits())
    assert long
    assert long.grades == ("expert_annotations coherence", "expert_annotations fluency")


@pytest.mark.parametrize("cell", [[{"start": 3, "label": "place"}], [{"fluency": 4}, {"style": 2}], [4, 5]])
def test_other_lists_stay_as_they_are(cell):
    assert "expert_annotations" in guessed(*(row | {"expert_annotations": cell} for row in rows(0, 20)))


@pytest.mark.parametrize("cell", ["nobody", 5, [{"coherence": 4}], [{"coherence": "good", "fluency": 3}]])
def test_a_later_cell_without_such_marks_stays_as_it_is(cell):
    [(name, qualities)] = rated.find(rows(0, 20))

    assert rated.with_columns({name: cell}, [(name, qualities)]) == {name: cell}
