"""Names that are too long for their place."""

import pytest

from evaluations.short_texts import IN_SENTENCE, NARROW, short_name, short_names

MODELS = "llama-3.3-70b-instruct-fp8", "gpt-4.1-nano", "qwen2.5-vl-72b-instruct-awq-int4-very-long-name"
PROMPTS = "plain", "few-shot", "chain of thought"
SAME_ENDS = [
    f"{'the same beginning ' * 4}{middle}{' and the same end' * 4}" for middle in ("one", "two", "six")
]
SAME_LONGER = [
    "x" * 60 + "a" + "y" * 60,
    "x" * 60 + "a" + "y" * 30 + "b" + "y" * 29,
    "x" * 60 + "c" + "y" * 60,
]


def test_a_long_name_keeps_its_end_where_variants_differ():
    assert short_name("qwen2.5-vl-72b-instruct-awq-int4 · chain of thought", NARROW).endswith(
        "…chain of thought"
    )


@pytest.mark.parametrize("most", [12, NARROW, IN_SENTENCE])
@pytest.mark.parametrize(
    "names", [[f"{model} · {prompt}" for model in MODELS for prompt in PROMPTS], SAME_ENDS, SAME_LONGER]
)
def test_no_two_names_of_a_comparison_look_equal(names, most):
    shown = short_names(names, most)

    assert len({*shown.values()}) == len(names)
    assert max(map(len, shown.values())) <= most


def test_a_name_that_is_equal_at_both_ends_shows_where_it_differs():
    for middle, shown in zip(("one", "two", "six"), short_names(SAME_ENDS).values(), strict=True):
        assert f"…{middle} and" in shown


def test_a_name_that_fits_is_shown_in_whole():
    assert short_names(["v1", "a…b", "a" * IN_SENTENCE]) == {
        name: name for name in ("v1", "a…b", "a" * IN_SENTENCE)
    }
