"""Simulated error rates of run statistics with rare labels; docs/simulations.md has the table."""

import pytest

from .headlines import coverage, error_rates, false_verdicts, with_grades


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["macro-F1", "MCC", "F1 of the rarest label"])
@pytest.mark.parametrize("name", ["4 labels, n = 200", "10 labels, n = 400"])
def test_statistics_with_rare_labels_hold_their_error_rates(name, statistic):
    assert false_verdicts(name, statistic, 400) <= 0.08
    assert coverage(name, statistic, 400) >= 0.91


@pytest.mark.slow
def test_corpus_error_rates_hold_their_error_rates():
    false, held = error_rates(400)

    assert (false <= 0.08, held >= 0.91) == (True, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["correlation", "weighted_kappa"])
def test_comparisons_with_grades_hold_their_error_rates(name):
    false, held = with_grades(400, name)

    assert (false <= 0.08, held >= 0.91) == (True, True)
