"""The answer of a solution in mathematics, in one way of writing."""

import pytest

from evaluations.mapping.mathematics import answer
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.step import NotFound


@pytest.mark.parametrize(
    "texts",
    [
        (
            r"\frac{1}{2}",
            r"\dfrac12",
            "1/2",
            "0.5",
            r"So $x = \boxed{\tfrac{1}{2}}$.",
            r"The answer is $.50$",
        ),
        (r"-\frac{3}{4}", r"\boxed{-\frac34}", "-0.75", "−0.75"),
        (r"3\sqrt{11}", r"3 \sqrt 11"),
        (r"3\sqrt{2}", r"3 \sqrt 2", r"\( 3\sqrt2 \)", "$$3\\sqrt{2}$$"),
        (r"(1,\frac{\pi}{2})", r"\left( 1, \dfrac{\pi}2 \right)"),
        (r"\text{(A)}", "(A)", r"$\mathrm{(A)}$"),
        (r"90^\circ", "90", r"90^{\circ}", r"\boxed{90}"),
        ("12%", r"12\%", "12"),
        ("1,234", "1{,}234", r"\$1234"),
        (r"First \boxed{3}, then \boxed{\frac{1}{\sqrt{x}}}", r"$\frac{1}{\sqrt{x}}$"),
    ],
)
def test_answers_are_the_same_however_they_are_written(texts):
    assert len({*map(answer, texts)}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("1,2,3", "3"), ("(1,2)", "(2,1)"), ("-3", "3"), (r"\sqrt{3}", "3"), ("x^2", "x2")]
)
def test_other_answers_stay_others(one, other):
    assert answer(one) != answer(other)


def test_a_box_that_is_cut_off_is_no_answer_and_the_last_formula_counts():
    assert answer(r"From $x=4$ we get \boxed{3 + ") == "4"


@pytest.mark.parametrize("text", ["", " ", "$", None])
def test_nothing_has_no_answer(text):
    with pytest.raises(NotFound):
        compile_steps(["math"]).value(text)
