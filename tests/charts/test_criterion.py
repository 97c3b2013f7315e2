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


def test_runs_share_a_scale_whose_labels_stand_below_all():
    (first, last), axis = criteria([result(0.1), result(0.2)])

    assert ['class="axis"' in drawn for drawn in (first, last, axis)] == [False, False, True]
    alone = criterion(result(0.1))
    assert 'class="axis"' in alone
    assert first not in alone


def test_a_run_without_an_interval_has_no_drawing():
    assert criteria([result(0.1) | {"interval": None}]) == ([None], "")
    (shown, missing), axis = criteria([result(0.1), result(0.2) | {"interval": None}])
    assert 'class="axis"' in axis
    assert shown
    assert missing is None
