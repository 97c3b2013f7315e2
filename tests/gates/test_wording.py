"""What an open criterion of a gate says of further examples."""

import pytest

from evaluations.gates.results import leans_against


@pytest.mark.parametrize(
    ("rule", "direction", "difference", "margin", "against"),
    [
        ("better", "maximize", 0.05, None, False),
        ("better", "maximize", -0.05, None, True),
        ("better", "minimize", -0.05, None, False),
        ("not_worse", "maximize", -0.01, 0.05, False),
        ("not_worse", "maximize", -0.04, 0.05, True),
        ("at_least", "maximize", -0.05, None, False),
    ],
)
def test_more_examples_decide_in_the_direction_that_is_measured(rule, direction, difference, margin, against):
    assert leans_against(rule, direction, difference, margin) is against
