"""Files of harnesses that ask each model several times, with a row for each answer."""

import io
import json

import pytest

from evaluations import ingest


def asked(tasks=15, samples=3, models=("small", "large"), **more):
    for task in range(tasks):
        for model in models:
            for sample in range(samples):
                yield {
                    "task_id": f"t{task}",
                    "question": f"What is {task} and {task}?",
                    "expected": f"{2 * task}",
                    "model": model,
                    "answer": f"It is {2 * task + (sample if model == 'small' else 0)}.",
                } | {name: value(sample) for name, value in more.items()}


def read(rows):
    content = "\n".join(map(json.dumps, rows)).encode()
    return io.BytesIO(content), ingest.sniff(io.BytesIO(content), "answers.jsonl", limits=ingest.Limits())


def long_of(rows):
    file, fmt = read(rows)
    return ingest.detect_long(file, fmt, ingest.Limits())


def test_answers_of_a_model_to_a_task_are_numbered_and_compared_by_their_numbers():
    file, fmt = read(asked())
    numbered = [row["sample"] for batch in ingest.open_rows(file, fmt, ingest.Limits()) for row in batch.rows]

    assert numbered == [1, 2, 3] * 30
    assert [warning.code for warning in fmt.warnings] == ["rows_numbered"]
    found = long_of(asked())
    assert (found.variant, found.variants, found.items, found.is_sure) == ("model", 2, 45, True)


def test_the_numbering_is_stored_with_the_format():
    _, fmt = read(asked())

    assert ingest.Format.from_dict(json.loads(json.dumps(fmt.as_dict()))).numbered == fmt.numbered != ()


@pytest.mark.parametrize(
    "rows",
    [
        asked(seed=lambda sample: sample),
        asked(criterion=lambda sample: ("tone", "facts", "length")[sample]),
        asked(samples=1),
        asked(models=("small",)),
    ],
    ids=["a seed tells them apart", "criteria", "one answer", "one model"],
)
def test_rows_that_something_else_tells_apart_are_not_numbered(rows):
    assert read(rows)[1].numbered == ()


def test_the_model_and_the_trial_inside_one_object_tell_rows_apart():
    rows = [
        {
            "case": {"turns": [{"role": "user", "content": row["question"]}]},
            "sys": {"engine": row["model"], "trial": row["trial"]},
            "result": {"completion": row["answer"], "finish": "stop"},
            "telemetry": {"seconds": 1.5 + n / 100, "tokens": 100 + n, "region": "the one in the north"},
        }
        for n, row in enumerate(asked(trial=lambda sample: sample))
    ]

    found = long_of(rows)

    assert (found.variant, found.variants, found.key, found.output) == (
        "engine",
        2,
        ("case", "trial"),
        "result",
    )
