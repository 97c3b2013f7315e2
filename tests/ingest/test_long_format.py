"""Detection of files with one row for each variant and item."""

import io
import json

import pytest

from evaluations import ingest
from evaluations.ingest.long_format import find

LIMITS = ingest.Limits()


def columns(systems: int, items: int, by_item: bool = False) -> dict[str, list[str]]:
    pairs = [(s, n) for s in range(systems) for n in range(items)]
    pairs.sort(key=lambda pair: pair[1] if by_item else pair[0])
    return {
        "system": [f"s{s}" for s, _ in pairs],
        "doc": [f"d{n // 7}" for _, n in pairs],
        "seg": [str(n % 7) for _, n in pairs],
        "source": [f"Satz {n}" for _, n in pairs],
        "hyp": [f"sentence {n} by {s}" for s, n in pairs],
        "score": [str(s * n) for s, n in pairs],
    }


def test_systems_items_and_outputs_are_recognised_in_any_order():
    for by_item in (False, True):
        layout = find(columns(14, 60, by_item))

        assert layout is not None
        assert (layout.variant, layout.variants, layout.items, layout.output) == ("system", 14, 60, "hyp")
        assert layout.varying == ("score",)


def test_items_may_be_named_by_two_columns():
    table = columns(5, 40)
    del table["source"]

    layout = find(table)

    assert layout is not None
    assert (layout.variant, layout.output, layout.items) == ("system", "hyp", 40)


def test_a_few_missing_rows_change_nothing():
    table = {name: column[:-9] for name, column in columns(5, 40).items()}

    layout = find(table)

    assert layout is not None
    assert (layout.variant, layout.output) == ("system", "hyp")


def test_topics_of_different_questions_are_no_variants():
    table = {
        "topic": [f"t{n % 3}" for n in range(60)],
        "question": [f"question {n}" for n in range(60)],
        "answer": ["yes" if n % 2 else "no" for n in range(60)],
    }

    assert find(table) is None


def test_pages_whose_sentences_are_numbered_are_no_variants_of_the_sentences():
    """As in shared tasks of translation: page and sentence are the key, and each row has its own right answer."""
    table = {
        "domain": [f"news-{n // 5}" for n in range(60)],
        "seg_id": [str(n % 5) for n in range(60)],
        "reference": [f"Der Satz {n}" for n in range(60)],
        "Online-A": [f"Satz {n}" for n in range(60)],
        "madlad": [f"Jener Satz {n}" for n in range(60)],
    }

    assert find(table) is None


def test_three_hypotheses_of_a_premise_with_a_label_each_are_three_examples():
    labels = ("entailment", "neutral", "contradiction")
    table = {
        "premise": [f"A man with the number {n // 3} on his shirt eats." for n in range(72)],
        "hypothesis": [f"Hypothesis {n} is about him." for n in range(72)],
        "gold_label": [labels[n % 3] for n in range(72)],
        "zero_shot": [labels[(n + n % 5) % 3] for n in range(72)],
        "few_shot": [f"{labels[n % 3]}, as it says in row {n}" for n in range(72)],
    }

    assert find(table) is None


def asked_twice(change=lambda row: row):
    """The answers of two searches to each of thirty questions, in no order."""
    rows = [
        change(
            {
                "run": search,
                "q": f"q{n}",
                "question": f"What is {n}?",
                "ground_truth": f"It is {n}.",
                "answer": f"{n} by {search}",
            }
        )
        for n in range(30)
        for search in ("bm25", "hybrid")
    ]
    rows.sort(key=lambda row: row["answer"][::-1])
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_a_variant_is_sure_where_each_item_has_it_once_and_only_the_output_differs():
    layout = find(asked_twice())

    assert layout is not None
    assert (layout.variant, layout.output, layout.is_sure) == ("run", "answer", True)


def test_rows_that_ask_for_something_else_or_are_numbered_are_no_sure_variants():
    languages = find(asked_twice(lambda row: row | {"question": f"{row['question']} ({row['run']})"}))
    numbered = find(asked_twice(lambda row: row | {"run": str(len(row["run"]))}))

    assert not (languages and languages.is_sure)
    assert numbered is not None
    assert not numbered.is_sure


def test_only_the_head_of_a_large_file_is_read():
    file = io.BytesIO(b"a,b\n" + b"x,y\n" * 3_000_000)

    assert ingest.detect_long(file, ingest.sniff(file, "a.csv", whole=False, limits=LIMITS), LIMITS) is None
    assert file.tell() < 1_000_000


def test_rows_that_differ_in_question_and_reference_are_no_rows_of_one_example():
    pairs = [(part, n) for part in range(6) for n in range(7)]
    table = {
        "domain": [f"news-{part}" for part, _ in pairs],
        "seg": [str(n) for _, n in pairs],
        "source": [f"Satz {n} aus {part}" for part, n in pairs],
        "reference": [f"sentence {n} of {part}" for part, n in pairs],
        "system-a": [f"the sentence {n} of {part}" for part, n in pairs],
    }

    assert find(table) is None


def test_of_a_csv_file_with_numbers_and_verdicts_alone_the_variants_are_sure_by_their_questions():
    asked = [f"What is {number} times {number}?" for number in range(9)]
    rows = {
        "0": asked * 2,
        "model": ["llama-2-13b"] * 9 + ["falcon-40b"] * 9,
        "correct": ["True", "False", "True"] * 3 + ["False", "True", "True"] * 3,
        "prob": [f"0.{number}" for number in range(18)],
    }

    found = find(rows)

    assert found is not None
    assert (found.variant, found.is_sure) == ("model", True)
    assert "correct" in (found.output, *found.grades)


@pytest.mark.parametrize(
    ("name", "values", "grades"),
    [
        ("result", ["passed", "failed: AssertionError", "timed out", "passed"], ("result",)),
        ("passed", [1, 0, 0, 1], ("passed",)),
        ("label", [1, 0, 0, 1], ()),
    ],
)
def test_verdicts_are_grades_and_a_label_is_none(name, values, grades):
    """A label of 1 may say that an answer is harmful, or right: the name does not tell which is better."""
    tasks = [f"task {item}" for item in range(8) for _ in range(2)]
    texts = [f"answer {row}" for row in range(16)]

    found = find({"task": tasks, "model": ["a", "b"] * 8, "generation": texts, name: values * 4})

    assert found is not None
    assert found.grades == grades


@pytest.mark.parametrize(
    ("overall", "grades"), [([2, 3, 5, 4] * 4, ("accuracy", "overall")), ([*range(4, 20)], ("accuracy",))]
)
def test_numbers_on_the_scale_of_a_grade_are_grades(overall, grades):
    tasks = [f"task {item}" for item in range(8) for _ in range(2)]
    texts = [f"answer {row}" for row in range(16)]
    numbers = {"accuracy": [1, 3, 4, 5] * 4, "overall": overall}

    found = find({"task": tasks, "model": ["a", "b"] * 8, "generation": texts, **numbers})

    assert found is not None
    assert found.grades == grades


def test_numbers_of_errors_beside_penalty_points_are_no_grades():
    table = {"task": [f"task {item}" for item in range(8) for _ in range(2)], "model": ["a", "b"] * 8}
    table["text"] = [f"answer {row}" for row in range(16)]

    found = find(table | {"Minor": [0, 1, 2, 1] * 4, "penalty": [0, 1, 3, 1] * 4})

    assert found is not None
    assert found.grades == ("penalty",)


def test_of_columns_that_differ_the_one_called_answer_is_the_output():
    rows = [
        {
            "question_id": n,
            "model": model,
            "answer": f"{model} {n}",
            "games": f"a long text about {model} and {n}",
        }
        for n in range(6)
        for model in ("small", "large")
    ]

    assert find({name: [row[name] for row in rows] for name in rows[0]}).output == "answer"


@pytest.mark.parametrize(
    ("names", "is_sure"), [(("mistral-7b", "claude-3-haiku"), True), (("de", "fr"), False)]
)
def test_values_named_like_models_make_variants_sure_whatever_their_column_is_called(names, is_sure):
    pairs = [(n, name) for n in range(30) for name in names]

    layout = find(
        {
            "question": [f"How many rows has table {n}?" for n, _ in pairs],
            "who": [name for _, name in pairs],
            "text": [f"{name} counts {n}" for n, name in pairs],
        }
    )

    assert layout is not None
    assert (layout.variant, layout.is_sure) == ("who", is_sure)


def test_rows_of_two_answers_whose_models_change_sides_are_of_no_single_variant():
    rows = [
        {
            "instruction": f"Say {n}",
            "output_1": f"The reference says {n} in words.",
            "generator_1": "gpt-4",
            "output_2": f"{model} says {n} in words.",
            "generator_2": model,
            "preference": 1 + (n * 7 % 10) / 10,
        }
        for n in range(20)
        for model in ("yi-34b", "hermes-7b")
    ]
    content = io.BytesIO(json.dumps(rows).encode())
    fmt = ingest.sniff(content, "annotations.json", limits=ingest.Limits())

    assert fmt.sides
    assert ingest.detect_long(content, fmt, ingest.Limits()) is None
