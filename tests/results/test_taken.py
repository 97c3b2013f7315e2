"""What an evaluator took out of outputs, as the list of examples shows it."""

import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.results.rows import Row
from evaluations.results.taken import taken

LABELS = [{"step": "choice", "labels": ["spam", "ham"]}]


def _rows(*outputs) -> list[Row]:
    return [Row(n, f"{n}", None, {}, {"answer": "42"}, {}, output, {}) for n, output in enumerate(outputs, 1)]


@pytest.mark.parametrize(
    ("kind", "mapping", "outputs", "said"),
    [
        ("numeric_match", {}, ["It is 42.", "42", "No idea", None], ["42", "", "nothing", ""]),
        ("label", {"actual": {"read": LABELS}}, ["This is spam!", "Spam", "eggs"], ["spam", "", "nothing"]),
        ("exact_match", {"actual": {"path": "$.output.a"}}, [{"a": "x"}, {"b": "x"}], ["x", ""]),
        ("exact_match", {}, ["It is 42."], [""]),
        ("numeric_match", {}, ["42 " * 10_000], [""]),
        (
            "json_fields",
            {"actual": {"read": ["json"]}},
            ['```json\n{"a": 1}\n```', 'So {"a": 1}'],
            ["", '{"a": 1}'],
        ),
    ],
)
def test_what_is_read_is_said_where_it_is_not_the_whole_output(kind, mapping, outputs, said):
    assert taken(Recipe.compile(kind, {}, mapping), _rows(*outputs)) == said
