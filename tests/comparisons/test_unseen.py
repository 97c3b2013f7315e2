"""Cautions beside a verdict whose evaluator cannot see what makes answers right."""

import json

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.kinds.advised_code import as_written
from evaluations.statistics.wording import text
from tests import factories

pytestmark = pytest.mark.django_db
ORDERS = [f"item {n} > piece {n} > thing {n}" for n in range(30)]
NAMES = [f"Person {n} of town" for n in range(30)]


def caution(project, kind, references, outputs, config=None, mapping=None) -> str:
    evaluator = evaluators.create(project, None, "mine", kind, config or {}, mapping or {})
    dataset = factories.dataset(project, references, name="rows")
    experiment = experiments.create(project, None, "rows", dataset, [evaluator])
    runs = [
        factories.scored_run(experiment, texts, name) for name, texts in zip("abcd", outputs, strict=False)
    ]
    return text(Comparison(runs, runs[0]).sentence.unseen)


def test_lists_in_another_order_are_told_where_order_does_not_count(project):
    turned = [" > ".join(reversed(one.split(" > "))) for one in ORDERS]

    assert caution(project, "token_f1", ORDERS, [ORDERS, turned]) == (
        "Of the first 30 answers of each, none of a and 30 of b have the members of the reference in another order; "
        "mine does not see that."
    )


def test_the_order_of_lists_that_ask_for_none_is_not_told(project):
    lists = [one.replace(" >", ",") for one in ORDERS]

    assert (
        caution(project, "token_f1", lists, [lists, [", ".join(reversed(one.split(", "))) for one in lists]])
        == ""
    )


def test_right_words_in_longer_answers_are_told_where_they_are_called_wrong(project):
    longer = [f"I think that it is {one}." if n % 2 else one for n, one in enumerate(NAMES)]

    assert caution(project, "exact_match", NAMES, [NAMES, longer]) == (
        "Of the first 30 answers of each, none of a and 15 of b say the reference with more words, with fewer, or in "
        "another way of writing; mine calls them wrong."
    )


@pytest.mark.parametrize("sentences", [20, 60, 100])
def test_long_answers_that_only_begin_as_the_reference_are_not_told(project, sentences):
    letters = [f"{'We thank you for your order. ' * sentences}It costs {n} EUR." for n in range(30)]
    wrong = [*letters[:5], *(letter.replace("EUR", "francs") for letter in letters[5:])]

    assert caution(project, "exact_match", letters, [letters, wrong]) == ""


def test_answers_too_long_to_be_looked_at_are_not_called_wrong(project):
    letters = [f"{'We thank you for your order. ' * 100}It costs {n} EUR." for n in range(30)]
    short = [*NAMES[:5], *letters[5:]]

    assert caution(project, "exact_match", [*NAMES[:5], *letters[5:]], [short, short]) == ""


def test_numbers_of_answers_are_told_for_each_variant_where_they_differ(project):
    longer = [f"I think that it is {one}." for one in NAMES]

    assert caution(
        project, "exact_match", NAMES, [NAMES, [*NAMES[:9], *longer[9:25], *[None] * 5]]
    ).startswith("Of the first 30 and 25 answers, none of a and 16 of b say the reference with more words")


@pytest.mark.parametrize(
    "label",
    [["18:30", "19:30", "20:30"], ["cancelled", "not cancelled", "moved"], ["level: 1", "grade: 1", "none"]],
)
def test_what_another_example_has_is_another_answer_and_no_other_writing(project, label):
    references = label * 10
    outputs = [*references[:10], *references[1:21]]

    assert caution(project, "exact_match", references, [references, outputs]) == ""


@pytest.mark.parametrize(
    ("references", "outputs"),
    [
        ([f"near the bridge {n}" for n in range(30)], [f"the bridge {n}" for n in range(30)]),
        (["4", "7", "nobody"] * 10, ["four", "Seven.", "somebody"] * 10),
        ([f"2026-05-{n:02}" for n in range(1, 31)], [f"May {n}, 2026" for n in range(1, 31)]),
        ([f"+49 40 {n}{n} 17" for n in range(10, 40)], [f"+4940{n}{n}17" for n in range(10, 40)]),
    ],
)
def test_parts_of_references_and_numbers_in_words_are_told_where_they_are_wrong(project, references, outputs):
    told = caution(project, "contains", references, [references, outputs])

    assert "of b say the reference with more words, with fewer, or in another way of writing" in told


def test_a_variant_of_which_nothing_is_right_is_worth_a_look(project):
    told = caution(project, "exact_match", NAMES, [NAMES, [one[::-1] for one in NAMES]])

    assert told.startswith("Hardly an answer of b is right by mine: read some below")


def test_it_is_told_of_any_variant_of_several(project):
    wrong = [one[::-1] for one in NAMES]
    told = caution(project, "exact_match", NAMES, [wrong, NAMES, wrong, NAMES[:15] + wrong[15:]])

    assert told.startswith("Hardly an answer of a and c is right by mine: read some below")


def test_equal_code_is_not_all_code_that_is_right(project):
    code = [f"def f():\n    return {n}" for n in range(30)]
    read = as_written(code, code)
    mapping = {side: {"path": f"$.{side}", "read": read} for side in ("actual", "expected")}

    told = caution(project, "exact_match", code, [code, code[::-1]], mapping=mapping)

    assert "other code that does the same counts as wrong" in told


@pytest.mark.parametrize("kind", ["exact_match", "token_f1"])
def test_answers_that_differ_in_what_they_say_have_no_caution(project, kind):
    others = [f"Other {n + 1} in village" if n % 3 else one for n, one in enumerate(NAMES)]

    assert caution(project, kind, NAMES, [NAMES, others]) == ""


def test_fields_that_are_null_and_left_out_are_told(project):
    references = [json.dumps({"name": f"n{n}", "phone": None}) for n in range(30)]
    outputs = [json.dumps({"name": f"n{n}"}) for n in range(30)]

    told = caution(project, "json_fields", references, [references, outputs])

    assert "none of a and 30 of b leave out fields that are null in the reference" in told
