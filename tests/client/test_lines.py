"""What the program prints of an answer of the API."""

import pytest

from evalsite_client import lines

ALONE = {"evaluator": {"name": "Numeric match"}, "mean": 0.5538, "interval": [0.484, 0.622], "n": 195}
COUNTED = {"mean": 0.54, "interval": [0.471, 0.608], "n": 200}


@pytest.mark.parametrize(
    ("compared", "said"),
    [
        (None, "mean 0.554 [0.484, 0.622], n = 195"),
        (COUNTED, "mean 0.540 [0.471, 0.608], n = 200 (0.554 of the 195 scored alone)"),
    ],
)
def test_the_mean_of_a_run_is_that_which_comparisons_count(compared, said):
    answer = {"id": 8, "variant": "C", "status": "done", "scorings": [ALONE | {"compared": compared}]}

    assert list(lines.run(answer)) == ["Run 8 C: done", f"  Numeric match: {said}"]
