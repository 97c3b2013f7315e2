"""Kinds on published answers to GSM8K."""

import json
from pathlib import Path

import pytest

from evaluations import kinds
from evaluations.kinds import Column

SOLUTIONS = Path(__file__).parents[3] / "shared" / "data" / "gsm8k_model_solutions.jsonl"


@pytest.fixture(scope="module")
def questions():
    if not SOLUTIONS.exists():
        pytest.skip("the solutions lie beside the repository, in ../shared")
    with SOLUTIONS.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize(
    ("model", "passes"),
    [("6b_finetuning", 286), ("6b_verification", 515), ("175b_finetuning", 458), ("175b_verification", 742)],
)
def test_numeric_match_agrees_with_the_published_verdict_on_every_answer(questions, model, passes):
    kind = kinds.get("numeric_match")
    sides = {
        "actual": Column([question[model]["solution"] for question in questions]),
        "expected": Column([question["ground_truth"] for question in questions]),
    }

    scores = kind.evaluate(kind.parse({}), sides)

    assert len(questions) == 1319
    assert scores.passed.tolist() == [int(question[model]["is_correct"]) for question in questions]
    assert int(scores.passed.sum()) == passes
