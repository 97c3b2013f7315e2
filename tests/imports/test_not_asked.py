"""Files of which every row has outputs of some variants only, by design."""

import csv
import io
from itertools import combinations

import pytest

from evaluations.scoring import coverage, scoring
from tests.factories import imported, jsonl
from tests.pages import text_of

pytestmark = pytest.mark.django_db
MODELS = ("small", "middle", "large")
PAIRS = [*combinations(MODELS, 2)] * 12


def battle(n, pair):
    first, second = pair if n % 2 else pair[::-1]
    better = "model_b" if MODELS.index(second) > MODELS.index(first) else "model_a"
    return {"id": n, "question": f"q {n}?", "model_a": first, "model_b": second} | {
        "response_a": f"{first} says {n}",
        "response_b": f"{second} says {n}",
        "winner": better,
    }


@pytest.fixture
def battles(project):
    columns = {model: model for model in MODELS}
    mapping = {"inputs": ["question"], "key": "id", "outputs": columns}
    mapping["scores"] = {"winner": dict.fromkeys(MODELS, "winner")}
    rows = jsonl(*(battle(n, pair) for n, pair in enumerate(PAIRS)))
    dataset = imported(project, rows, mapping=mapping)
    while scoring.work(seconds=5):
        pass
    return dataset.experiments.get()


def test_who_does_not_fight_is_not_asked(battles):
    assert {run.variant: coverage.count(run) for run in battles.runs.all()} == dict.fromkeys(MODELS, 24)


def test_means_are_over_the_battles_of_each_and_pairs_over_those_of_both(client, alice, battles):
    client.force_login(alice)
    page = text_of(client.get(f"/experiments/{battles.pk}/"))

    assert (
        "large is best of 3 on winner (from the file): 100.0 % of comparisons won against 50.0 % for middle ; "
        "over the 12" in page
    )
    assert (
        "middle 24 and large 24 of 36 examples" in page
        or "of 36 examples. What a variant was not asked" in page
    )
    assert "count as wrong" not in page


def test_an_export_says_not_asked(client, alice, battles):
    client.force_login(alice)
    answer = client.get(f"/experiments/{battles.pk}/export/?format=csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")

    statuses = [
        value
        for row in csv.DictReader(io.StringIO(text))
        for name, value in row.items()
        if name.endswith("winner status")
    ]
    assert statuses.count("not_asked") == 36


def wide(silent):
    rows = [
        {"id": n, "question": f"q {n}?", "answer": "yes"} | {f"{model} output": "yes" for model in MODELS}
        for n in range(30)
    ]
    for n, row in enumerate(rows):
        for model in silent(n):
            row[f"{model} output"] = None
    return jsonl(*rows)


def test_a_file_with_a_column_for_each_variant_says_the_same(project):
    dataset = imported(project, wide(lambda n: [MODELS[n % 3]]))

    assert {coverage.count(run) for run in dataset.experiments.get().runs.all()} == {20}


@pytest.mark.parametrize(
    "silent",
    [
        lambda n: [MODELS[n % 3]] if n else [],  # one row has all answers
        lambda n: [MODELS[n % 3]] if n else MODELS[1:],  # an answer more is missing
        lambda _: ["large"],  # it never answered
        lambda n: ["large"] * (n % 2),
    ],
)
def test_silence_still_counts(project, silent):
    dataset = imported(project, wide(silent))

    assert {coverage.count(run) for run in dataset.experiments.get().runs.all()} == {None}
