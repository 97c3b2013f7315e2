"""lm-evaluation-harness: samples with a row for each document and filter."""

from itertools import product

import pytest

from evaluations.other_tools.lm_eval import evaluation

from .files import as_lines, read


def sample(doc: int, chosen: str, answer: str, score: float, **fields) -> dict:
    return {
        "doc_id": doc,
        "doc": {"question": f"q{doc}", "answer": f"long {doc}"},
        "target": f"{doc}",
        "arguments": [["prompt"]],
        "resps": [[f"so {answer}"]],
        "filtered_resps": [answer],
        "filter": chosen,
        "metrics": ["exact_match"],
        "exact_match": score,
    } | fields


SAMPLES = [sample(n, "strict", "?", float(n == 1)) for n in range(3)] + [
    sample(n, "loose", f"{n}", 1.0) for n in range(3)
]


def test_filters_that_read_the_same_answers_are_graders_and_the_one_that_reads_most_is_the_first():
    read_by = {"strict": ["[invalid]", "1"], "flexible": ["0", "1"]}
    rows = [
        sample(n, chosen, read_by[chosen][n], float(read_by[chosen][n] == f"{n}"), model=model)
        | {"resps": [[f"The answer of {model} is {n}"]]}
        for model, chosen, n in product(("small", "large"), read_by, range(2))
    ]

    evaluation = read(as_lines(rows))

    assert [(one.name, one.about, len(one.repetitions)) for one in evaluation.variants] == [
        (model, {"model": model}, 1) for model in ("small", "large")
    ]
    assert evaluation.variants[0].repetitions[0][0].output == "The answer of small is 0"
    scores = evaluation.variants[1].repetitions[0][0].scores
    assert {name: score.value for name, score in scores.items()} == {
        "exact_match, flexible": 1.0,
        "exact_match, strict": 0.0,
    }
    assert [(grader.name, grader.why) for grader in evaluation.graders] == [
        ("exact_match, flexible", "the harness computed it"),
        (
            "exact_match, strict",
            "the harness computed it; its filter found no answer in 2 of the outputs",
        ),
    ]


def test_a_filter_with_answers_of_its_own_is_a_variant_and_a_document_one_example():
    evaluation = read(as_lines(SAMPLES))

    assert [item.key for item in evaluation.items] == ["0", "1", "2"]
    assert evaluation.items[1].inputs == {"question": "q1"}
    assert evaluation.items[1].reference == {"target": "1"}
    assert evaluation.items[1].metadata == {"answer": "long 1", "resps": [["so ?"]]}
    means = {
        variant.name: sum(answer.scores["exact_match"].value for answer in variant.repetitions[0].values())
        / 3
        for variant in evaluation.variants
    }
    assert means == {"strict": pytest.approx(1 / 3), "loose": 1.0}
    assert evaluation.variants[1].repetitions[0][2].output == "2"


def test_a_document_that_occurs_again_is_a_repetition():
    evaluation = read(
        as_lines([sample(0, "f", "a", 1.0), sample(1, "f", "b", 1.0), sample(0, "f", "c", 0.0)])
    )

    (variant,) = evaluation.variants
    assert [sorted(answers) for answers in variant.repetitions] == [[0, 1], [0]]


def test_joined_samples_of_several_models_are_variants_and_no_repetitions():
    rows = [sample(n, "strict", f"{n}", 1.0, model=model) for model in ("small", "large") for n in range(2)]

    variants = read(as_lines(rows)).variants
    others = [row | {"filter": "loose", "resps": [["another"]]} for row in rows]
    both = read(as_lines([*rows, *others])).variants

    assert [(one.name, len(one.repetitions), one.about) for one in variants] == [
        ("small", 1, {"filter": "strict", "model": "small"}),
        ("large", 1, {"filter": "strict", "model": "large"}),
    ]
    assert [one.name for one in both] == ["small strict", "large strict", "small loose", "large loose"]


def test_samples_without_a_list_of_metrics_are_read():
    row = sample(0, "f", "a", 1.0)
    del row["metrics"], row["filter"]

    (variant,) = read(as_lines([row, row | {"doc_id": 1}])).variants

    assert (variant.name, variant.repetitions[0][0].scores["exact_match"].value) == ("none", 1.0)


def test_what_is_not_imported_is_named():
    rows = [
        sample(n, "f", "a", 1.0, metrics=["exact_match", "bleu"], bleu=["r", "p"], extra=1) for n in range(2)
    ]

    notes = " ".join(read(as_lines(rows)).notes)

    assert all(name in notes for name in ("arguments", "bleu", "extra"))


def test_the_accuracy_that_is_fair_to_longer_options_is_the_first():
    samples = [
        {
            "doc_id": n,
            "doc": {"question": f"{n}?"},
            "target": "1",
            "resps": [["1"]],
            "acc": 0.0,
            "acc_norm": 1.0,
        }
        for n in range(3)
    ]

    assert [grader.name for grader in evaluation(samples).graders] == ["acc_norm", "acc"]
