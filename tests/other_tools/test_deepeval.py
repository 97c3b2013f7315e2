"""DeepEval: test runs and results of evaluate()."""

import json

import pytest

from .files import read

METRICS = [
    [("Relevancy", 0.9, True), ("Faithfulness", 0.8, True)],
    [("Relevancy", 0.7, True), ("Faithfulness", 0.4, False)],
]


def case(number: int) -> dict:
    return {
        "name": f"c{number}",
        "input": f"q{number}",
        "actualOutput": f"a{number}",
        "expectedOutput": f"e{number}",
        "retrievalContext": ["r"],
        "completionTime": 1.5,
        "success": True,
        "metricsData": [
            {"name": name, "score": score, "success": success, "threshold": 0.5, "reason": "so"}
            for name, score, success in METRICS[number]
        ],
    }


def run(*cases: dict) -> bytes:
    scores = [{"metric": "Relevancy", "scores": [0.9, 0.7], "passes": 2, "fails": 0}]
    return json.dumps({"testCases": [*cases], "metricsScores": scores, "testPassed": 1}).encode()


@pytest.mark.parametrize("count", [1, 2])
def test_the_cases_of_a_test_run_are_the_examples(count):
    evaluation = read(run(*map(case, range(count))))

    (variant,) = evaluation.variants
    assert [item.key for item in evaluation.items] == ["c0", "c1"][:count]
    assert evaluation.items[0].inputs == {"input": "q0"}
    assert evaluation.items[0].reference == {"expected_output": "e0"}
    assert evaluation.items[0].metadata == {"retrieval_context": ["r"], "completion_time": 1.5}
    answer = variant.repetitions[0][0]
    assert (answer.output, answer.latency_ms, answer.scores["Faithfulness"].value) == ("a0", 1500, 0.8)


def test_the_summary_is_compared():
    (figure,) = read(run(case(0), case(1))).figures

    assert (figure.grader, figure.n, figure.pass_rate) == ("Relevancy", 2, 1.0)
    assert figure.mean == pytest.approx(0.8)


def test_what_is_not_imported_is_named():
    notes = " ".join(read(run(case(0))).notes)

    assert all(name in notes for name in ("test_passed", "metrics_data.reason", "metrics_data.threshold"))


def test_results_of_evaluate_are_read():
    result = {"name": "t", "success": False, "input": "q", "actual_output": "a", "expected_output": None}
    result["metrics_data"] = [{"name": "Tone", "score": None, "success": False}]

    evaluation = read(json.dumps({"test_results": [result], "confident_link": None}).encode())

    assert evaluation.items[0].reference == {}
    assert evaluation.variants[0].repetitions[0][0].scores == {}
