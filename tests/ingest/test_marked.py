"""Options that are marked right or wrong are the right answers, and what was asked."""

import io
import json

import pytest

from evaluations import ingest

OPTIONS = [[f"Oslo {n}", f"Rome {n}", f"Bern {n}"] for n in range(8)]


def preview(*rows):
    content = "\n".join(map(json.dumps, rows)).encode()
    return ingest.preview(io.BytesIO(content), "rows.jsonl", limits=ingest.Limits())


@pytest.mark.parametrize(
    "form",
    [
        lambda options: {"choices": options, "labels": [0, 1, 0]},
        lambda options: {option: float(place == 1) for place, option in enumerate(options)},
    ],
)
def test_the_option_that_is_marked_is_the_reference(form):
    seen = preview(
        *(
            {"question": f"{n}?", "targets": form(options), "gpt-4o": options[1]}
            for n, options in enumerate(OPTIONS)
        )
    )

    assert seen.rows[3] == {
        "question": "3?",
        "targets": "Rome 3",
        "targets options": OPTIONS[3],
        "gpt-4o": "Rome 3",
    }
    assert [warning.code for warning in seen.warnings] == ["options_marked"]
    assert (seen.roles["targets"], seen.roles["targets options"]) == ("reference", "inputs")


def test_several_options_may_be_right():
    seen = preview(
        *(
            {"question": f"{n}?", "targets": {"choices": options, "labels": [1, 1, 0]}}
            for n, options in enumerate(OPTIONS)
        )
    )

    assert seen.rows[0]["targets"] == OPTIONS[0][:2]


@pytest.mark.parametrize(
    "cell", [{"exact": 1, "contains": 0}, {"a": 2, "b": 0}, {"choices": ["a", "b"], "labels": [1]}]
)
def test_results_of_tests_and_other_objects_stay_as_they_are(cell):
    seen = preview(*({"question": f"{n}?", "found": cell, "answer": "x"} for n in range(8)))

    assert not seen.format.marked
    assert "found options" not in seen.columns
