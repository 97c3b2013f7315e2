"""A share of fields, said as such, and beside it how many answers are right in all fields."""

import json

import pytest

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories

pytestmark = pytest.mark.django_db
RECORDS = [{"name": f"n{n}", "city": f"c{n}", "total": n} for n in range(40)]


def comparison(project, kind, outputs, references, config=None) -> Comparison:
    evaluator = evaluators.create(project, None, "mine", kind, config or {}, {})
    dataset = factories.dataset(project, references, name="records")
    experiment = experiments.create(project, None, "records", dataset, [evaluator])
    runs = [factories.scored_run(experiment, texts, name) for name, texts in zip("ab", outputs, strict=True)]
    return Comparison(runs, runs[0])


def records(wrong: int) -> list[str]:
    """The first answers with one wrong field each."""
    return [json.dumps(one | ({"city": "?"} if n < wrong else {})) for n, one in enumerate(RECORDS)]


def test_the_sentence_says_fields_and_beside_it_whole_answers(project):
    told = comparison(project, "json_fields", [records(30), records(6)], [*map(json.dumps, RECORDS)])

    assert "b is better than a on mine: 95.0 % of fields right against 75.0 %" in told.sentence.text.replace(
        "\u202f", " "
    )
    assert (
        "All fields of the reference are right in 34 of 40 answers of b and 10 of 40 answers of a."
        in notes.remarks(told)
    )


def test_a_harmonic_mean_is_no_share_of_fields(project):
    texts = [records(30), records(6)]
    told = comparison(project, "json_fields", texts, [*map(json.dumps, RECORDS)], {"measure": "f1"})

    assert "b is better than a on mine (0 to 1): 0.950 against 0.750" in told.sentence.text
    assert "All is right in 34 of 40 answers of b and 10 of 40 answers of a." in notes.remarks(told)


def test_calls_of_tools_are_right_or_wrong(project):
    calls = [json.dumps([{"name": "find", "arguments": {"n": n}}]) for n in range(40)]
    other = json.dumps([{"name": "find", "arguments": {"n": -1}}])
    outputs = [[other if n < wrong else call for n, call in enumerate(calls)] for wrong in (20, 2)]

    told = comparison(project, "tool_calls", outputs, calls)

    assert "b is better than a on mine: 95.0 % of answers right against 50.0 %" in told.sentence.text.replace(
        "\u202f", " "
    )


@pytest.mark.parametrize(("partly", "is_told"), [(0.5, True), (0, False)])
def test_scores_of_a_tool_with_a_threshold_say_beside_their_mean_how_many_pass(project, partly, is_told):
    scores = [[str(partly if n < failed else 1) for n in range(40)] for failed in (20, 2)]

    told = comparison(project, "value", scores, ["x"] * 40, {"threshold": 1, "minimum": 0, "maximum": 1})

    assert ("38 of 40 answers of b and 20 of 40 answers of a pass." in notes.remarks(told)) is is_told
