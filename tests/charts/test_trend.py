"""The drawing of means over time."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise

import pytest

from evaluations.charts import sparkline, trend
from evaluations.charts.naming import LETTER, NARROW, TALL, Box
from evaluations.charts.trend import Change, Dot, Line


def dot(day: int, mean: float, epoch: int = 1) -> Dot:
    at = datetime(2026, 3, day, tzinfo=UTC)
    return Dot(at, mean, (mean - 0.05, mean + 0.05), "v1", f"day {day}", f"/runs/{day}/", epoch, epoch == 2)


def circles(html: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)%" cy="([\d.]+)"', html)]


def test_later_is_further_right_and_better_is_higher():
    html = trend([Line("a", [dot(1, 0.2), dot(9, 0.8)])], [], "Means", lower_is_better=False)

    [(x1, y1), (x2, y2)] = circles(html)
    assert x1 < x2
    assert y1 > y2


def test_where_lower_is_better_the_lowest_is_highest():
    html = trend([Line("a", [dot(1, 0.2), dot(9, 0.8)])], [], "Means", lower_is_better=True)

    [(_, y1), (_, y2)] = circles(html)
    assert y1 < y2


def test_a_line_between_scores_that_are_not_comparable_is_broken():
    html = trend(
        [Line("a", [dot(1, 0.2), dot(5, 0.3), dot(9, 0.8, epoch=2)])], [], "Means", lower_is_better=False
    )

    assert re.findall(r'class="(trend-line[ \w]*)"', html) == ["trend-line", "trend-line broken"]


def test_every_dot_has_a_link_and_a_row_in_the_table():
    html = trend([Line("a", [dot(1, 0.2), dot(9, 0.8)])], [], "Means", lower_is_better=False)

    # The link in the drawing is for the mouse, the one in the table for the keyboard.
    assert html.count('href="/runs/1/"') == 2
    assert '<td class="number"><a href="/runs/1/">a v1</a></td>' in html
    assert html.count("<tr>") == 3


def test_a_change_is_named_and_names_of_users_are_escaped():
    change = Change(datetime(2026, 3, 5, tzinfo=UTC), "<b>v2</b>", "<i>v2</i>")

    html = trend([Line("<i>", [dot(1, 0.2), dot(9, 0.8)])], [change], "Means", lower_is_better=False)

    assert "mark-line" in html
    assert "<b>v2" not in html
    assert "<i>v2" not in html
    assert "<i>" not in html


def test_a_single_run_is_drawn():
    assert len(circles(trend([Line("a", [dot(1, 0.2)])], [], "Means", lower_is_better=False))) == 1


@pytest.mark.parametrize(("name", "is_short"), [("System-K", True), ("a much longer name", False)])
def test_short_names_take_little_room_beside_the_lines(name, is_short):
    html = trend([Line(name, [dot(1, 0.2)])], [], "Means", lower_is_better=False)

    assert ('class="trend-chart short-names"' in html) == is_short


def test_a_sparkline_begins_anew_behind_each_change():
    html = sparkline([[0.1, 0.2], [0.15], [0.3, 0.4]], "Best of 5 runs")

    assert html.count("spark-mark") == 2
    assert html.count('<path d="M') == 3
    assert 'aria-label="Best of 5 runs"' in html


def test_names_of_changes_stand_above_all_dots():
    changes = [Change(datetime(2026, 3, day, tzinfo=UTC), f"v{day}", f"v{day}") for day in (2, 5, 8)]

    html = trend([Line("a", [dot(1, 0.2), dot(9, 0.8)])], changes, "Means", lower_is_better=False)

    names = re.findall(r'class="mark-text"[^>]* y="(\d+)"', html)
    whiskers = re.findall(r'class="whisker"[^>]* y2="([\d.]+)"', html)
    assert max(map(float, names)) < min(map(float, whiskers))


def test_no_line_of_a_change_crosses_the_name_of_another():
    changes = [Change(datetime(2026, 3, day, tzinfo=UTC), f"v{day}", f"v{day}") for day in (6, 7, 8)]

    html = trend([Line("a", [dot(1, 0.2), dot(9, 0.8)])], changes, "Means", lower_is_better=False)

    lines = [float(y) for y in re.findall(r'class="mark-line"[^>]* y1="(\d+)"', html)]
    names = [float(y) for y in re.findall(r'class="mark-text"[^>]* y="(\d+)"', html)]
    assert all(
        earlier > name for earlier, name in zip(lines, names[1:], strict=False)
    )  # they read to the left


def near_numbers(html: str) -> dict[str, Box]:
    """The place of each number for narrow screens, in pixels there."""
    texts = re.findall(
        r'class="name near" x="([\d.]+)%" dx="(-?\d+)" y="([\d.-]+)" text-anchor="(\w+)">([^<]+)', html
    )
    boxes = {}
    for x, dx, y, anchor, number in texts:
        start = NARROW * float(x) / 100 + int(dx) - (LETTER if anchor == "end" else 0)
        boxes[number] = Box(start, float(y) - TALL, start + LETTER, float(y))
    return boxes


@pytest.mark.parametrize("end", ["", " of the new prompt, with rules"])
def test_narrow_screens_show_numbers_off_points_and_each_other_and_names_whole_below(end):
    lines = [
        Line(f"high{end}", [dot(1, 0.2), dot(9, 0.81)]),
        Line(f"mid{end}", [dot(9, 0.8)]),
        Line(f"low{end}", [dot(1, 0.79)]),
    ]

    html = trend(lines, [], "Means", lower_is_better=False)

    numbers = near_numbers(html)
    points = [Box(NARROW * x / 100 - 3, y - 3, NARROW * x / 100 + 3, y + 3) for x, y in circles(html)]
    assert list(numbers) == ["1", "2", "3"]
    assert not any(one.covers(other) for one, other in combinations(numbers.values(), 2))
    assert not any(one.covers(point) for one in numbers.values() for point in points)
    assert all(one.left > 0 and one.right < NARROW for one in numbers.values())
    assert re.findall(r'<li><span class="two-lines">([^<]+)', html) == [
        f"high{end}",
        f"mid{end}",
        f"low{end}",
    ]


def test_runs_of_one_day_have_one_date():
    html = trend([Line("a", [dot(1, 0.2)]), Line("b", [dot(1, 0.4)])], [], "Means", lower_is_better=False)

    assert html.count('dy="16"') == 1


def test_runs_of_one_day_are_as_far_apart_as_their_order_says_and_changes_stand_between_them():
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    dots = [replace(dot(1, 0.2), at=at + timedelta(minutes=minutes)) for minutes in (0, 10, 400)]
    html = trend(
        [Line("a", dots)], [Change(at + timedelta(minutes=30), "v2", "v2")], "Means", lower_is_better=False
    )

    first, second, third = (x for x, _ in circles(html))

    assert second - first == pytest.approx(third - second, abs=0.02)
    [changed] = re.findall(r'class="mark-line" x1="([\d.]+)%"', html)
    assert second < float(changed) < third
    assert all(f"{told}</text>" in html for told in ("1 Mar, 09:00", ">09:10", ">15:40"))


def test_runs_of_one_experiment_stand_below_each_other():
    """They end some seconds apart, in an order without meaning."""
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    dots = [replace(dot(1, mean), at=at + timedelta(seconds=n)) for n, mean in enumerate((0.2, 0.4))]

    [(first, _), (last, _)] = circles(
        trend([Line("a", dots[:1]), Line("b", dots[1:])], [], "Means", lower_is_better=False)
    )

    assert last - first < 0.1


def test_a_change_within_a_minute_stands_between_the_runs_before_and_after_it():
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    dots = [replace(dot(1, 0.2), at=at), replace(dot(1, 0.4), at=at + timedelta(seconds=50))]
    changes = [Change(at + timedelta(seconds=40), "v2: an answer was edited", "v2")]

    html = trend([Line("a", dots)], changes, "Means", lower_is_better=False)

    [(before, _), (after, _)] = circles(html)
    [changed] = re.findall(r'class="mark-line" x1="([\d.]+)%"', html)
    assert before < float(changed) < after


def far_names(html: str) -> dict[str, tuple[float, float]]:
    """The position of each name at the right of a dot."""
    texts = re.findall(r'class="name" x="([\d.]+)%" dx="10" y="([\d.]+)" dy="4">([^<]+)', html)
    return {name: (float(x), float(y)) for x, y, name in texts}


def test_the_newest_dot_of_each_variant_has_its_name_instead_of_a_version():
    dots = [replace(dot(1, 0.3), name="current"), replace(dot(9, 0.3), name="current")]
    better = replace(dot(9, 0.8), name="rules", label="v2")

    html = trend([Line("a prompt", [*dots, better])], [], "Means", lower_is_better=False)

    points = circles(html)
    assert {name: x for name, (x, _) in far_names(html).items()} == {
        "rules": points[2][0],
        "current": points[1][0],
    }
    assert re.findall(r'dy="14">([^<]*)</text>', html) == ["v1", "", ""]


def test_versions_of_one_time_are_not_joined_with_each_other():
    html = trend(
        [Line("a", [dot(1, 0.3), dot(9, 0.3), replace(dot(9, 0.8), label="v2")])],
        [],
        "Means",
        lower_is_better=False,
    )

    joined = re.findall(r'class="trend-line" x1="([\d.]+)%" y1="[\d.]+" x2="([\d.]+)%"', html)
    first, last = (f"{x:.2f}" for x in (circles(html)[0][0], circles(html)[1][0]))
    assert joined == [(first, last), (first, last)]


def test_names_beside_dots_close_to_each_other_do_not_overlap():
    lines = [
        Line(name, [dot(1, 0.2), dot(9, mean)]) for name, mean in (("a", 0.5), ("b", 0.501), ("c", 0.502))
    ]

    heights = sorted(y for _, y in far_names(trend(lines, [], "Means", lower_is_better=False)).values())

    assert all(below - above >= 14 for above, below in pairwise(heights))


def test_a_name_stands_below_a_line_that_goes_on_from_another_dot_at_its_place():
    going_on = Line("a", [replace(dot(1, 0.3), label="v1"), replace(dot(9, 0.3), name="a v1")])
    ending = Line("b", [replace(dot(1, 0.3), label="")])

    html = trend([going_on, ending], [], "Means", lower_is_better=False)

    height = circles(html)[0][1]
    assert far_names(html)["b"][1] >= height + 14
    assert far_names(html)["a v1"][1] == height


def test_a_label_that_would_lie_on_a_name_or_on_another_label_is_left_out():
    old = [replace(dot(1, 0.3), label=label, name=f"a {label}") for label in ("v1", "v2")]
    new = [replace(dot(9, mean), label=f"v{n}", name=f"a v{n}") for n, mean in enumerate((0.3, 0.7), 1)]
    alone = Line("b", [dot(1, 0.9), dot(9, 0.95)])

    html = trend([Line("a", [*old, *new]), alone], [], "Means", lower_is_better=False)

    assert [one for one in re.findall(r'class="label"[^>]*>([^<]*)', html) if one] == ["v1"]  # that of “b”


def test_names_behind_two_times_stand_in_the_free_quarter_of_the_drawing():
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    dots = [replace(dot(1, 0.2), at=at + timedelta(hours=hours)) for hours in range(3)]

    two, three = (trend([Line("a", dots[:number])], [], "Means", lower_is_better=False) for number in (2, 3))

    assert "two-times" in two
    assert max(x for x, _ in circles(two)) == 75
    assert "two-times" not in three
