import dataclasses

import numpy as np
import pytest

from evaluations.statistics.old_sentences import parts, sentence
from evaluations.statistics.paired import compare

ONE = compare(np.array([0.0, 1.0]), np.array([1.0, 0.0]), direction="maximize")


def comparisons(words, n=1319):
    """One comparison per word: b(etter), w(orse), c(annot tell), s(ame), or - for nothing to compare."""
    verdicts = {"b": "better", "w": "worse"}
    return [
        dataclasses.replace(
            ONE,
            n=0 if word == "-" else n,
            ties=n if word == "s" else 0,
            verdict=verdicts.get(word, "cannot_tell"),
        )
        for word in words
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bbcc", "v2 is better on 2 of 4 evaluators; on the other two these 1 319 examples cannot tell."),
        ("bwsc", "v2 is better on 1 of 4 evaluators, worse on 1 and the same on 1; "
                 "on the other these 1 319 examples cannot tell."),
        ("wwb", "v2 is better on 1 of 3 evaluators and worse on 2."),
        ("bbb", "v2 is better on all 3 evaluators."),
        ("b", "v2 is better."),
        ("s", "v2 is the same."),
        ("c", "These 1 319 examples cannot tell whether v2 is better or worse."),
        ("ccc", "These 1 319 examples cannot tell whether v2 is better or worse on any of 3 evaluators."),
        ("-", "v2 shares no scored example with the baseline."),
        ("b-", "v2 is better."),
    ],
)  # fmt: skip
def test_a_comparison_in_words(words, said):
    assert sentence({"v2": comparisons(words)}) == said


def test_several_variants_get_a_sentence_each():
    said = sentence({"terse": comparisons("ww"), "polite": comparisons("b")})

    assert said == "terse is worse on all 2 evaluators. polite is better."


def test_undecided_evaluators_with_unequal_examples_name_no_number():
    undecided = comparisons("c", n=10) + comparisons("c", n=20)

    assert sentence({"v2": undecided}).startswith("The examples cannot tell")


def test_the_parts_set_names_and_verdicts_apart():
    found = parts({"better": comparisons("wc")})

    assert found[:4] == [("name", "better"), ("", " is "), ("worse", "worse"), ("", " on 1 of 2 evaluators")]


def test_variants_that_fare_alike_share_a_sentence():
    said = sentence(
        {"a": comparisons("bb"), "b": comparisons("wc"), "c": comparisons("bb"), "d": comparisons("bb")}
    )

    assert said.startswith("a, c and d are better on all 2 evaluators. b is worse on 1 of 2 evaluators;")


def test_variants_that_cannot_be_told_apart_share_a_doubt():
    said = sentence({"a": comparisons("c"), "b": comparisons("c")})

    assert said == "These 1 319 examples cannot tell whether a or b is better or worse."


def test_many_sentences_say_once_what_cannot_be_told():
    said = sentence(
        {"a": comparisons("bcc"), "b": comparisons("bbc"), "c": comparisons("wcc"), "d": comparisons("bbb")}
    )

    assert said == (
        "a is better on 1 of 3 evaluators. b is better on 2 of 3 evaluators. c is worse on 1 of 3 evaluators. "
        "d is better on all 3 evaluators. Elsewhere these examples cannot tell."
    )


def test_many_sentences_that_decide_all_have_no_doubt():
    said = sentence({"a": comparisons("b"), "b": comparisons("w"), "c": comparisons("c", n=7)})

    assert said == "a is better. b is worse. These 7 examples cannot tell whether c is better or worse."
