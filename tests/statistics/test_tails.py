"""The tail of pass and fail, against SciPy's binomial test."""

import math

import numpy as np
import pytest
from scipy import stats

from evaluations.statistics import tails


@pytest.mark.parametrize("changed", [1, 6, 21, 60, 1_000])
def test_the_tail_of_pass_and_fail_is_the_exact_sign_test(changed):
    tail = tails.Binomial(changed)
    losses = np.arange(changed // 2 + 1)
    values = [tails.step((changed - 2 * k) / math.sqrt(changed)) for k in losses]

    expected = [-math.log(stats.binomtest(int(k), changed).pvalue) for k in losses]
    np.testing.assert_allclose([tail.improbable(value) for value in values], expected, rtol=1e-9, atol=1e-9)
