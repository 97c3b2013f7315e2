"""Repetitions of a variant by the API."""

import pytest

from tests import factories

REFERENCES = [str(n) for n in range(12)]


def answers(wrong) -> list[str | None]:
    return ["wrong" if n in wrong else text for n, text in enumerate(REFERENCES)]


@pytest.fixture
def runs(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance", references=REFERENCES)
    outputs = [answers({0, 1, 2}), answers({0, 1, 3}), answers({0, 2, 3})]
    outputs[2][4] = None
    made = [factories.scored_run(experiment, texts, "a") for texts in outputs]
    factories.scored_run(experiment, answers(range(12)), "another")
    return made


def test_pass_at_k_pass_all_of_k_majority_and_flaky_examples(reader, runs):
    """Of 12 examples one is never right, one (1) once, one (4) twice with a silent attempt, two (2, 3) once, seven
    always: three attempts each."""
    answer = reader.get(f"runs/{runs[0].pk}/repetitions/?evaluator=exact match").json()

    assert (answer["n"], answer["examples"], answer["runs"]) == (3, 12, [run.pk for run in runs])
    assert answer["pass_at"] == {
        "1": pytest.approx((7 + 3 / 3 + 2 / 3) / 12),
        "2": pytest.approx((7 + 3 * 2 / 3 + 1) / 12),
        "3": pytest.approx(11 / 12),
    }
    assert answer["pass_all"]["2"] == pytest.approx((7 + 1 / 3) / 12)
    assert answer["pass_all"]["3"] == pytest.approx(7 / 12)
    assert answer["majority"] == pytest.approx(8 / 12)
    assert answer["flaky"] == ["k2", "k3", "k4", "k5"]
    assert (answer["always"], answer["never"]) == (7, 1)


def test_the_plan_compares_repetitions_with_as_many_calls_for_examples(reader, runs):
    two, five, examples = reader.get(f"runs/{runs[1].pk}/repetitions/").json()["plan"]

    assert (two["calls"], five["calls"], examples["calls"]) == (22, 55, 54)
    assert two["narrower"] < five["narrower"] < examples["narrower"]


def test_one_run_has_one_repetition(reader, project):
    run = factories.scored_run(factories.experiment(project))

    answer = reader.get(f"runs/{run.pk}/repetitions/").json()

    assert (answer["n"], answer["noise_share"], answer["plan"], answer["flaky"]) == (1, None, [], [])


def test_an_evaluator_without_verdicts_is_refused(reader, runs):
    answer = reader.get(f"runs/{runs[0].pk}/repetitions/?evaluator=levenshtein distance")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "no_verdicts")
