"""The drawing of interim looks."""

import pytest

from evaluations.charts import sequence
from evaluations.models import Interim
from tests.pages import text_of

LOOKS = [Interim(n=50, mean=0.7, baseline_mean=0.6, low=-0.05, high=0.25)]


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_the_axis_of_differences_has_numbers(lower_is_better):
    drawing = sequence(LOOKS, 120, 0.1, lower_is_better=lower_is_better)

    texts = text_of(drawing)
    assert all(number in texts for number in ("+0.2", "−0.2"))
    assert "120 examples" in texts


def test_higher_is_drawn_further_up():
    up, down = (sequence(LOOKS, 120, 0.1, lower_is_better=low) for low in (False, True))

    assert float(up.split('cy="')[1].split("%")[0]) < 50 < float(down.split('cy="')[1].split("%")[0])
