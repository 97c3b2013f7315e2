"""One of several right answers, and outputs in which no answer is found."""

import pytest

from evaluations.evaluators.recipe import Recipe
from evaluations.mapping import Contexts
from evaluations.values import Status

ANY = {"expected": {"path": "$.expected", "many": "any"}}
TEXTS = {"expected": {"path": "$.reference.answers.text[*]", "many": "any"}}
NESTED = [
    {"output": "a fox", "reference": {"answers": {"text": ["the red fox", "a fox"]}}},
    {"output": "the old wood", "reference": {"answers": {"text": ["in the old wood", "the wood"]}}},
]


def scored(kind, mapping, rows, **config):
    return Recipe.compile(kind, config, mapping).scores(Contexts.of_rows(rows))


def words(scores):
    return [Status(status).word for status in scores.status]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("exact_match", [1, 0]),
        ("contains", [1, 0]),
        ("rouge_l", [1, 0.857142857]),
        ("levenshtein_distance", [0, 3]),
    ],
)
def test_the_best_of_several_right_answers_counts(kind, values):
    assert scored(kind, TEXTS, NESTED).values.tolist() == pytest.approx(values)


def test_the_members_of_a_list_are_right_answers_of_a_kind_that_reads_text():
    rows = [
        {"output": "four", "expected": ["4", "four"]},
        {"output": "four", "expected": '["4", "four"]'},
        {"output": "six", "expected": "six"},
        {"output": "6", "expected": [None, 6]},
    ]

    assert scored("exact_match", ANY, rows).values.tolist() == [1, 1, 1, 1]


def test_the_members_of_lists_are_right_answers_beside_others():
    mapping = {"expected": {"path": '$.reference["gold","aliases"]', "many": "any"}}
    rows = [
        {"output": output, "reference": {"gold": "Lima", "aliases": aliases}}
        for output, aliases in [
            ("Ciudad", ["City", "Ciudad"]),
            ("Lima", ["City"]),
            ("Lima", None),
            ("no", []),
        ]
    ]

    assert scored("exact_match", mapping, rows).values.tolist() == [1, 1, 1, 0]


def test_a_list_is_one_value_of_a_kind_that_reads_json():
    assert scored("json_match", ANY, [{"output": "[1]", "expected": [1]}]).values.tolist() == [1]


@pytest.mark.parametrize("nothing", [[], [None], None])
def test_no_right_answer_is_a_missing_reference(nothing):
    assert words(scored("rouge_l", ANY, [{"output": "x", "expected": nothing}])) == ["missing_expected"]


def test_an_answer_in_error_is_ignored_unless_all_are():
    rows = [{"output": "7", "expected": ["seven", "7"]}, {"output": "7", "expected": ["seven", "sept"]}]

    scores = scored("numeric_match", ANY, rows)

    assert words(scores) == ["scored", "error"]
    assert scores.values[0] == 1


def test_the_explanation_names_the_answer_that_won():
    recipe = Recipe.compile("exact_match", {}, ANY)

    detail = recipe.explain(Contexts.of_rows([{"output": "four", "expected": ["4", "four"]}]), 0)

    assert detail["reference"] == 1
    assert detail["compared"] == {"actual": "four", "expected": "four"}


@pytest.mark.parametrize(
    ("kind", "config", "worst", "passed"),
    [
        ("exact_match", {}, 0, 0),
        ("levenshtein_similarity", {}, 0, 0),
        ("levenshtein_distance", {}, 4, -1),
        ("levenshtein_distance", {"threshold": 9}, 4, 0),
        ("json_distance", {}, 1, -1),
        ("rouge_l", {}, 0, -1),
    ],
)
def test_an_output_without_an_answer_gets_the_worst_score_and_never_passes(kind, config, worst, passed):
    mapping = {"actual": {"path": "$.output", "read": ["code"]}}

    scores = scored(kind, mapping, [{"output": "no fence", "expected": "true"}], **config)

    assert (words(scores), scores.values.tolist(), scores.passed.tolist()) == (
        ["not_found"],
        [worst],
        [passed],
    )


def test_without_a_reference_an_output_without_an_answer_has_no_score():
    mapping = {"actual": {"path": "$.output", "read": ["code"]}}

    assert words(scored("rouge_l", mapping, [{"output": "x", "expected": None}])) == ["missing_expected"]


def test_an_evaluator_keeps_the_formula_that_it_was_saved_with():
    rows = Contexts.of_rows([{"output": "It takes 5-7 days", "expected": "7"}])

    old, new = (Recipe.compile("numeric_match", {}, {}, version).scores(rows) for version in (1, 2))

    assert (old.values.tolist(), new.values.tolist()) == ([0], [1])
