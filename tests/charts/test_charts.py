"""Drawings of counts, distributions and scatters."""

import itertools
import re

import numpy as np
import pytest

from evaluations import charts
from evaluations.statistics.squares import squares

HISTOGRAM = {"histogram": {"edges": [0, 0.25, 0.5, 0.75, 1], "counts": [4, 0, 2, 8]}}


def numbers(pattern: str, drawing: str) -> list[float]:
    return [float(number) for number in re.findall(pattern, drawing)]


# ---- histograms ----


def test_bars_are_as_high_as_their_counts():
    assert numbers(r'<rect [^>]*height="(\d+)"', charts.histogram(HISTOGRAM)) == [11, 6, 22]  # Of 22 for 8.


def test_a_rare_bin_is_visible():
    drawing = charts.histogram({"histogram": {"edges": [0, 1, 2, 3], "counts": [100_000, 0, 1]}})

    assert numbers(r'<rect [^>]*height="(\d+)"', drawing) == [22, 2]


def test_a_histogram_without_scores_is_an_empty_floor():
    drawing = charts.histogram({"histogram": {"edges": [0, 0.5, 1], "counts": [0, 0]}}, threshold=0.5)

    assert "<rect" not in drawing
    assert "Histogram of 0 scores" in drawing


def test_the_table_of_a_histogram_is_called_by_its_evaluator():
    drawing = charts.histogram(HISTOGRAM, of="Exact match")

    assert '<caption class="unseen">Exact match: histogram of' in drawing


@pytest.mark.parametrize(
    ("direction", "kinds"),
    [("maximize", ["bin below", "bin", "bin"]), ("minimize", ["bin", "bin", "bin below"])],
)
def test_bins_on_the_failing_side_of_the_threshold_are_marked(direction, kinds):
    drawing = charts.histogram(HISTOGRAM, threshold=0.5, direction=direction)

    assert re.findall(r'<rect class="([a-z ]+)"', drawing) == kinds


def test_without_a_threshold_nothing_fails():
    assert "below" not in charts.histogram(HISTOGRAM)
    assert "pass" not in charts.histogram(HISTOGRAM)


@pytest.mark.parametrize(
    ("threshold", "labels"),
    [(0.5, ["0", "1", "pass 0.5"]), (0.9, ["0", "pass 0.9"]), (0.1, ["pass 0.1", "1"]), (3, ["0", "1"])],
)
def test_the_pass_mark_never_covers_the_label_of_an_end(threshold, labels):
    assert re.findall(r"<text [^>]*>([^<]*)</text>", charts.histogram(HISTOGRAM, threshold)) == labels


def test_a_bin_links_to_its_rows():
    drawing = charts.histogram(HISTOGRAM, links=lambda low, high: f"?min={low}&max={high}")

    assert drawing.count('href="?min=0.75&amp;max=1"') == 2
    assert '<a href="?min=0.75&amp;max=1" tabindex="-1"><title>8 from 0.75 to 1</title>' in drawing


def test_a_share_is_one_line_in_two_parts_and_a_part_of_nothing_is_left_out():
    assert numbers(r' y="0" width="([\d.]+)%"', charts.proportion(3, 1, ("?a", "?b"))) == [75, 25]
    assert numbers(r' y="0" width="([\d.]+)%"', charts.proportion(0, 4, ("?a", "?b"))) == [100]


def test_the_table_behind_a_histogram_has_the_same_numbers():
    cells = re.findall(r'<td class="number">([^<]*)</td>', charts.histogram(HISTOGRAM))

    assert cells == ["0", "0.25", "4", "0.5", "0.75", "2", "0.75", "1", "8"]


# ---- outcomes, ticks, progress ----


def test_outcomes_share_one_bar_in_proportion():
    drawing = charts.outcomes(10, 30, 60)

    assert re.findall(r'bar-(\w+)" x="([\d.]+)%" width="([\d.]+)%"', drawing) == [
        ("better", "0.00", "10.00"),
        ("worse", "10.00", "30.00"),
        ("same", "40.00", "60.00"),
    ]


def test_outcomes_link_to_the_examples_they_count():
    drawing = charts.outcomes(1, 2, 3, lambda word: f'?show={word}&q="')

    assert re.findall(r'<a class="(\w+)" href="([^"]+)"', drawing) == [
        ("better", "?show=better&amp;q=&quot;"),
        ("worse", "?show=worse&amp;q=&quot;"),
        ("same", "?show=same&amp;q=&quot;"),
    ]


def test_large_counts_are_shortened():
    drawing = charts.outcomes(12_449, 0, 0)

    assert 'title="12\u202f449"' in drawing
    assert "12.4k" in drawing


def test_no_outcomes_at_all_are_zeros():
    drawing = charts.outcomes(0, 0, 0)

    assert numbers(r' width="([\d.]+)%" height="2"/>', drawing) == [0, 0, 0]
    assert re.findall(r"</svg>(\d+)<", drawing) == ["0", "0", "0"]


def test_ticks_go_up_for_better_and_down_for_worse():
    drawing = charts.ticks([0.2, -0.1, 0.0, None])

    assert re.findall(r'class="tick-(\w+)" d="M\d+ [\d.]+v(-?[\d.]+)"', drawing) == [
        ("better", "-6.5"),
        ("worse", "6.5"),
        ("same", "2"),
        ("none", "2"),
    ]
    assert 'aria-label="1 better, 1 worse, 1 tied, 1 without a score"' in drawing


def test_progress_of_an_unknown_total_has_no_value():
    assert "value=" not in charts.progress(0, 0)
    assert 'max="400" value="173"' in charts.progress(173, 400)


# ---- scatter ----


def scatter(across, up, direction="maximize", bounds=(0.0, 1.0), link=None):
    columns = np.array(across, float), np.array(up, float)
    return charts.scatter(squares(*columns, bounds), *columns, direction, link)


def test_a_scatter_has_the_better_examples_above_the_diagonal():
    drawing = scatter([0.0, 1.0, 0.5], [1.0, 0.5, 0.5])

    assert re.findall(r'<path data-verdict="(\w+)" d="([^"]+)"', drawing) == [
        ("same", "M50.0 50.0h0"),
        ("worse", "M100.0 50.0h0"),
        ("better", "M0.0 0.0h0"),
    ]
    assert "Of 3 examples, 1 better, 1 worse, 1 the same." in drawing


def test_points_of_pairs_that_tie_by_the_tolerance_are_the_same():
    across, up = np.array([0.25, 0.25]), np.array([0.5, 0.75])

    drawing = charts.scatter(squares(across, up, (0.0, 1.0)), across, up, tie=0.25)

    assert "Of 2 examples, 1 better, 0 worse, 1 the same." in drawing


def test_above_the_diagonal_is_worse_for_an_evaluator_that_minimises():
    assert '<path data-verdict="worse"' in scatter([0.0], [3.0], "minimize", (0.0, None))


def test_a_scatter_leaves_out_pairs_that_lack_a_score():
    drawing = scatter([float("nan"), 0.5], [1.0, 0.5], link=lambda i, j: f"?square={i}-{j}")

    # Once to press and once in the table.
    assert re.findall(r'href="([^"]+)"', drawing) == ["?square=5-5", "?square=5-5"]
    assert scatter([float("nan")], [1.0]) == ""


def test_many_points_are_counted_in_squares():
    across, up = [0.0] * 1_000 + [1.0] * 600, [1.0] * 1_000 + [0.97] * 600

    drawing = scatter(across, up, link=lambda i, j: f"?square={i}-{j}")

    assert "<path" not in drawing
    assert re.findall(r'class="cell" data-verdict="(\w+)" x="([\d.]+)%" y="([\d.]+)%"', drawing) == [
        ("better", "0", "0"),
        ("same", "95", "0"),
    ]
    assert re.findall(r"<title>(1\u202f000|600) ", drawing) == ["1\u202f000", "600"]
    assert "?square=0-19" in drawing
    assert "0 to 0.05" in drawing


def test_a_thousand_points_are_a_small_drawing():
    chance = np.random.default_rng(2)
    link = "/experiments/1/?details=1&evaluator=1&variant=16&square={}-{}#examples".format

    assert len(scatter(chance.random(1_000), chance.random(1_000), link=link)) < 70_000


# ---- all ----


def test_no_drawing_needs_an_inline_style_or_script():
    drawings = [
        charts.range_plot(charts.Axis(-0.2, 0.2), charts.Range(0.0, 0.1, 0.2), height=25),
        charts.histogram(HISTOGRAM, 0.5),
        charts.outcomes(1, 2, 3),
        charts.ticks([1]),
        scatter([0, 1], [1, 0]),
        scatter([0.0, 1.0] * 1_000, [0.0, 1.0] * 1_000),
    ]

    assert not [d for d in drawings if re.search(r"style=|<script|\son\w+=", d)]


def test_lines_show_every_series_and_say_their_numbers():
    drawing = charts.lines(
        (0.0, 0.5, 1.0), {"short": (1.0, 0.5, 0.0), "long": (None, 0.25, -0.5)}, 0.5, "Rates"
    )

    assert 'class="series-0" d="M0 0L500 50L1000 100"' in drawing
    assert 'class="series-1" d="M500 75L1000 100"' in drawing
    assert '<line class="threshold" x1="50.00%"' in drawing
    assert cells(drawing) == [["0", "1.000", "–"], ["0.5", "0.500", "0.250"], ["1", "0.000", "−0.500"]]


def cells(drawing):
    rows = re.findall(r"<tr>(.*?)</tr>", drawing)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows if "<td" in row]


def test_two_evaluators_are_drawn_each_over_its_own_range():
    drawing = charts.pair(np.array([0.5, 1.0, np.nan]), np.array([10.0, 40.0, 3.0]), ("share", "edits"))

    assert 'd="M0.0 100.0h0M100.0 0.0h0"' in drawing
    assert [text for text in re.findall(r">([^<>]+)<", drawing) if text != "share"] == [
        "40",
        "edits",
        "10",
        "0.5",
        "1",
    ]
    assert ">share<" in drawing


def test_a_seventh_line_looks_like_the_first():
    assert charts.swatch(6) == charts.swatch(0) != charts.swatch(1)


def test_a_score_at_the_top_meets_a_threshold_at_the_top():
    drawing = charts.histogram({"histogram": {"edges": [0, 0.5, 1], "counts": [3, 4]}}, 1.0, "maximize")

    assert drawing.count('class="bin below"') == 1


def test_a_distance_on_the_threshold_passes():
    drawing = charts.histogram({"histogram": {"edges": [0, 2, 4], "counts": [3, 4]}}, 2.0, "minimize")

    assert "bin below" not in drawing


def places(drawing) -> dict[str, float]:
    """The heights of the names at the ends of lines, in percent from the top."""
    return {
        name: float(y)
        for y, name in re.findall(
            r'<text class="line-name" x="100%" y="([\d.]+)%"[^>]*>([^<]+)</text>', drawing
        )
    }


def test_each_line_has_its_name_where_it_ends():
    drawing = charts.lines(
        [0.0, 0.5, 1.0], {"terse": [1.0, 0.25, 0.0], "long": [1.0, 0.5, None]}, 0.5, "Pass rates"
    )

    assert places(drawing) == {"long": 50, "terse": 100}


def test_names_of_lines_that_end_together_stand_apart_inside_the_drawing():
    ends = {f"line {n}": [1.0, 0.5, 0.0] for n in range(5)} | {"last": [1.0, 0.4, 0.03]}

    found = sorted(places(charts.lines([0.0, 0.5, 1.0], ends, 0.5, "Pass rates")).values())

    assert len(found) == 6
    assert found[-1] == 100
    assert all(below - above >= 8 for above, below in itertools.pairwise(found))


def test_the_drawing_begins_a_tenth_below_the_lowest_line():
    drawing = charts.lines([0.0, 1.0], {"good": [1.0, 0.75], "better": [1.0, 0.9]}, 0.5, "Pass rates")

    assert 'd="M0 0L1000 62.5"' in drawing
    assert [">100 %<" in drawing, ">80 %<" in drawing, ">60 %<" in drawing] == [True] * 3


def test_answers_without_a_score_that_count_as_wrong_are_a_hatched_part_of_the_line():
    drawing = charts.proportion(6, 2, ("?a", "?b"), as_wrong=2)

    assert numbers(r' y="0" width="([\d.]+)%"', drawing) == [60, 20]
    assert '<line class="as-wrong" x1="80.00%" x2="100%"' in drawing
    assert "2 without a score, as wrong" in drawing


def test_a_low_bar_can_be_pressed_over_the_whole_height():
    drawing = charts.histogram(HISTOGRAM, links=lambda low, high: f"?min={low}&max={high}")
    alone = charts.histogram(HISTOGRAM)

    assert (drawing.count('class="reach"'), alone.count('class="reach"')) == (3, 0)
    assert set(numbers(r'class="reach"[^>]* height="(\d+)"', drawing)) == {40}
