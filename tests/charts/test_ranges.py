"""Drawings of differences on axes."""

import pytest

from evaluations.charts import Axis, Range, axis_labels, baseline_plot, per_cent, range_plot


def test_zero_is_on_every_axis_and_both_ends_have_a_margin():
    axis = Axis.covering([Range(0.2, 0.3, 0.4)])

    assert axis.low < 0 < 0.4 < axis.high


def test_lower_is_better_turns_the_axis():
    assert Axis(-1.0, 1.0).percent(1.0) == Axis(-1.0, 1.0, is_turned=True).percent(-1.0) == "100.00%"


@pytest.mark.parametrize(("low", "high"), [(-0.02, 0.33), (-3.1, 0.4), (-1e-4, 5e-4), (-900.0, 40.0)])
def test_ticks_are_few_and_hold_zero(low, high):
    ticks = Axis(low, high).ticks

    assert 0.0 in ticks
    assert 2 <= len(ticks) <= 6


def test_labels_tell_neighbouring_ticks_apart():
    labels = axis_labels(Axis(-0.01, 0.09))

    assert "+0.025" in labels
    assert "+0.050" in labels


def test_every_second_label_gives_way_where_the_column_is_narrow():
    labels = axis_labels(Axis(-0.027, 0.091))

    minor = [part.rpartition(">")[2] for part in labels.split("</text>") if "minor" in part]
    assert labels.count("<text") == 5
    assert minor == ["+0.02", "+0.06"]


def test_labels_that_would_touch_give_way_on_wider_axes_too():
    touching, apart = axis_labels(Axis(-0.03, 0.1)), axis_labels(Axis(-0.027, 0.091))

    assert touching.count('class="minor crowded"') == 3
    assert "crowded" not in apart


def test_four_long_labels_give_way_too():
    labels = axis_labels(Axis(-0.085, 0.009))

    minor = [part.rpartition(">")[2] for part in labels.split("</text>") if "minor" in part]
    assert labels.count("<text") == 4
    assert minor == ["−0.075", "−0.025"]


def test_a_label_stands_at_its_line_or_is_left_out():
    labels = axis_labels(Axis(-0.01, 0.201))

    assert [part.rpartition(">")[2] for part in labels.split("</text>")[:-1]] == ["0", "+0.1"]
    assert labels.count('text-anchor="middle"') == 2


def test_an_axis_of_two_labels_keeps_both():
    labels = axis_labels(Axis(-0.101, 0.002), [-0.1, 0.0])

    assert labels.count("<text") == 2


def test_values_beyond_the_axis_are_arrows():
    assert "arrow" in range_plot(Axis(-0.1, 0.1), Range(0.3, 0.4, 0.5), height=24)
    assert "arrow" not in range_plot(Axis(-0.1, 0.1), Range(0.0, 0.05, 0.1), height=24)


def test_an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow():
    axis = Axis(-0.1, 0.1)

    assert 'class="beyond" x="100%"' in range_plot(axis, Range(0.0, 0.05, 0.3), height=24)
    assert 'class="beyond" x="0%"' in range_plot(Axis(-0.1, 0.1, True), Range(0.0, 0.05, 0.3), height=24)
    assert "beyond" not in range_plot(axis, Range(0.0, 0.05, 0.1), height=24)
    assert "beyond" not in range_plot(axis, Range(0.0, 0.4, 0.5), height=24)  # the point has the arrow


def test_the_baseline_is_a_square_without_an_interval():
    drawing = baseline_plot(Axis(-1.0, 1.0), height=24)

    assert "baseline-point" in drawing
    assert "interval-range" not in drawing


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-14, 1e-11, 1.0, 1e14, 1e300])
def test_axes_of_any_size_are_drawn(size):
    shown = Range(-size, 0.2 * size, size)
    axis = Axis.covering([shown])

    assert 2 <= len(axis.ticks) <= 6
    assert float(axis.percent(-size)[:-1]) < float(axis.percent(size)[:-1])
    assert range_plot(axis, shown, height=24)
    assert axis_labels(axis)


@pytest.mark.parametrize("value", [0.5, 1e-320, 1e300])
def test_an_axis_without_width_is_drawn(value):
    axis = Axis(value, value)

    assert axis.percent(value) == "50.00%"
    assert range_plot(axis, Range(value, value, value), height=24, grid=True)


def test_where_labels_touch_on_the_smallest_axis_it_has_the_first_and_the_last_alone():
    touching = axis_labels(Axis(0.1, 0.9), written=per_cent)
    apart = axis_labels(Axis(-0.1, 2.1))

    assert [part.rpartition(">")[2] for part in touching.split("</text>") if "inner" in part] == [
        "40\u202f%",
        "60\u202f%",
    ]
    assert "inner" not in apart
