"""Run statistics by the API: the document, and the rows of a field of the label table."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from tests import factories

REFERENCES = ["ham", "ham", "spam", "spam", "spam", "news"]
ANSWERS = ["ham", "spam", "spam", "Spam", None, "something else"]


@pytest.fixture
def run(project):
    used = [evaluators.create(project, None, kind, kind, {}, {}) for kind in ("label", "exact_match")]
    experiment = experiments.create(project, None, "e", factories.dataset(project, REFERENCES), used)
    return factories.scored_run(experiment, ANSWERS)


def test_a_run_has_statistics_with_intervals_labels_and_the_table(reader, run):
    answer = reader.get(f"runs/{run.pk}/statistics/?evaluator=label").json()

    by_name = {one["name"]: one for one in answer["statistics"]}
    assert (answer["examples"], by_name["macro_f1"]["value"]) == (6, pytest.approx(4 / 9))
    assert [name for name, one in by_name.items() if one["headline"]] == ["accuracy"]
    low, high = by_name["macro_f1"]["interval"]
    assert low < 4 / 9 < high
    assert answer["labels"][0] | {"interval": None} == {
        "label": "spam",
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3),
        "f1": pytest.approx(2 / 3),
        "interval": None,
        "support": 3,
        "answered": 3,
        "hits": 2,
    }
    assert answer["table"] == {
        "rows": ["spam", "ham", "news"],
        "columns": ["spam", "ham", "news", None],
        "counts": [[2, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1]],
    }


def test_evaluators_without_statistics_say_so(reader, run):
    answer = reader.get(f"runs/{run.pk}/statistics/?evaluator=exact_match").json()

    assert (answer["statistics"], "no statistics" in answer["missing"]) == ([], True)


def test_an_unknown_evaluator_is_refused(reader, run):
    answer = reader.get(f"runs/{run.pk}/statistics/?evaluator=nobody")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_evaluator")


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ("reference[label]=ham&read[label]=SPAM", [2]),
        ("reference[label]=spam", [3, 4, 5]),
        ("read[label]=spam", [2, 3, 4]),
        ("outside[label]=true", [5, 6]),
        ("outside[label]=true&reference[label]=news", [6]),
        ("read[label]=eggs", []),
    ],
)
def test_rows_of_a_field_of_the_table(reader, run, query, positions):
    answer = reader.get(f"runs/{run.pk}/results/?{query}").json()

    assert [row["position"] for row in answer["results"]] == positions


@pytest.mark.parametrize(
    ("query", "code"), [("reference[exact_match]=ham", "invalid"), ("outside[label]=no", "invalid_choice")]
)
def test_fields_that_do_not_exist_are_refused(reader, run, query, code):
    answer = reader.get(f"runs/{run.pk}/results/?{query}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
