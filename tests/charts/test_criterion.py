"""What a gate would say of runs: their intervals by one criterion stand on one scale."""

from evaluations.charts import criteria, criterion


def result(difference: float) -> dict[str, object]:
    low, high = difference - 0.05, difference + 0.05
    return {
        "interval": [low, high],
        "interval_90": [low, high],
        "difference": difference,
        "direction": "maximize",
        "margin": 0.02,
        "words": "",
        "title": "",
    }


def test_runs_share_a_scale_that_only_the_last_labels():
    first, last = criteria([result(0.1), result(0.2)])

    assert ('class="axis"' in first, 'class="axis"' in last) == (False, True)
    alone = criterion(result(0.1))
    assert 'class="axis"' in alone
    assert first not in alone


def test_a_run_without_an_interval_has_no_drawing():
    assert criteria([result(0.1) | {"interval": None}]) == [None]
    shown, missing = criteria([result(0.1), result(0.2) | {"interval": None}])
    assert 'class="axis"' in shown
    assert missing is None
