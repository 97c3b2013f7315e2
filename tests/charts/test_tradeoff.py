"""The drawing of quality against cost, latency or tokens."""

import re
from itertools import combinations

from evaluations.charts import Point, Range, naming, tradeoff


def point(name: str, across: float, up: float, **more) -> Point:
    return Point(name, Range(across * 0.9, across, across * 1.1), Range(up - 0.05, up, up + 0.05), **more)


POINTS = [
    point("dear", 10, 0.9),
    point("fair", 1, 0.8, is_baseline=True),
    point("poor", 2, 0.5),
    point("free", 0.1, 0.4),
]


def mark_position(html: str, name: str) -> tuple[float, float]:
    """Where a variant's mark is, in percent from the left and pixels from the top."""
    mark = re.search(
        rf"<title>{name}</title>.*?<(?:circle|rect) class=\"(?:on|off)\" c?x=\"([\d.]+)%\" c?y=\"([\d.]+)\"",
        html,
    )
    return float(mark[1]), float(mark[2])


def test_cheaper_is_further_left_and_better_is_higher():
    html = tradeoff(POINTS, "Cost", "Quality")

    marks = {point.name: mark_position(html, point.name) for point in POINTS}
    assert sorted(marks, key=lambda name: marks[name][0]) == ["free", "fair", "poor", "dear"]
    assert sorted(marks, key=lambda name: marks[name][1]) == ["dear", "fair", "poor", "free"]


def test_where_lower_is_better_the_lowest_is_highest():
    html = tradeoff(POINTS, "Cost", "Edits", lower_is_better=True)

    assert mark_position(html, "free")[1] < mark_position(html, "dear")[1]


def test_only_variants_that_no_other_beats_in_both_are_filled():
    html = tradeoff(POINTS, "Cost", "Quality")

    assert len(re.findall(r'class="on"', html)) == 3
    assert re.search(r"<title>poor</title>.*?class=\"off\"", html)


def test_costs_of_several_sizes_are_spread_by_their_logarithm():
    """The costs 10, 1 and 0.1 are equally far apart."""
    html = tradeoff(POINTS, "Cost", "Quality")

    xs = [mark_position(html, name)[0] for name in ("dear", "fair", "free")]
    assert abs((xs[1] - xs[0]) - (xs[2] - xs[1])) < 0.1


def test_costs_of_one_size_are_spread_evenly():
    html = tradeoff([point("a", 1, 0.5), point("b", 2, 0.6), point("c", 3, 0.7)], "Cost", "Quality")

    xs = [mark_position(html, name)[0] for name in "abc"]
    assert abs((xs[0] - xs[1]) - (xs[1] - xs[2])) < 0.1


def test_all_numbers_are_in_a_table():
    html = tradeoff(POINTS, "Cost", "Quality")

    assert '<td class="number">0.85 to 0.95</td>' in html
    assert '<td class="number">9 to 11</td>' in html


def test_free_and_equal_variants_are_drawn():
    html = tradeoff([point("a", 0, 0.5), point("b", 0, 0.5)], "Cost", "Quality")

    assert html.count("<title>") == 2


def test_names_of_users_are_escaped():
    assert "<b>" not in tradeoff([point("<b>x", 1, 0.1), point("b", 1, 0.2)], "Cost", "<b>y")


def test_a_mean_without_an_interval_has_no_whisker():
    alone = Point("alone", Range(None, 1.0, None), Range(None, 0.5, None))
    assert 'class="whisker"' not in tradeoff([alone, alone], "Cost", "Quality")
    assert 'class="whisker"' in tradeoff(POINTS, "Cost", "Quality")


def test_an_interval_that_reaches_a_cost_of_zero_ends_at_the_cheap_end():
    unsure = Point("unsure", Range(-1.0, 1.0, 3.0), Range(0.3, 0.4, 0.5))
    html = tradeoff([POINTS[0], POINTS[3], unsure], "Cost", "Quality")
    assert re.search(r'class="whisker" x1="0%" x2="[\d.]+%"', html)
    assert html.count('class="beyond" x="0%"') == 1  # and says that it goes on
    assert "beyond" not in tradeoff(POINTS, "Cost", "Quality")


def test_costs_that_are_equal_but_for_rounding_stand_together_in_the_middle_beside_a_tick():
    equal = [point("a", 0.1 + 0.2, 0.5), point("b", 0.3, 0.6)]
    bare = [Point(one.name, Range(None, one.across.point, None), one.up) for one in equal]
    html = tradeoff(bare, "Cost", "Quality")

    (first, _), (second, _) = (mark_position(html, name) for name in "ab")
    assert first == second
    assert 30 < first < 70
    assert re.search(r'text-anchor="middle">0\.30<', html)


NAME = re.compile(r'class="name" x="([\d.]+)%" y="([\d.]+)" dx="(-?\d+)" text-anchor="(\w+)">([^<]+)<')


def boxes_of_names(html: str) -> list[naming.Box]:
    """Where names stand on a phone."""
    found = []
    for x, y, dx, anchor, name in NAME.findall(html):
        begin, width = float(x) * naming.NARROW / 100 + int(dx), naming.LETTER * len(name)
        left = begin - width if anchor == "end" else begin
        found.append(naming.Box(left, float(y) - naming.TALL, left + width, float(y) + 2))
    return found


def test_no_name_stands_among_the_labels_of_the_horizontal_axis_or_over_another():
    html = tradeoff([point(f"v{n}", n + 1, 0.1) for n in range(8)], "Cost", "Quality")

    boxes = boxes_of_names(html)
    assert len(boxes) == 8
    assert max(box.bottom for box in boxes) < 170
    assert not any(a.covers(b) for a, b in combinations(boxes, 2))


def test_names_stand_off_points_and_intervals_where_there_is_room():
    rising = [point(f"a long name {n}", 1 + 0.4 * n, 0.5 + 0.1 * n) for n in range(5)]
    html = tradeoff(rising, "Cost", "Quality")

    boxes = boxes_of_names(html)
    marks = [mark_position(html, one.name) for one in rising]
    dots = [naming.Box(x * 3.2 - 4, y - 4, x * 3.2 + 4, y + 4) for x, y in marks]
    assert len(boxes) == 5
    assert not any(box.covers(dot) for box in boxes for dot in dots)
    upright = re.findall(r'class="whisker" x1="([\d.]+)%" x2="\1%" y1="([\d.]+)" y2="([\d.]+)"', html)
    lines = [
        naming.Box(float(x) * 3.2, min(float(a), float(b)), float(x) * 3.2 + 0.1, max(float(a), float(b)))
        for x, a, b in upright
    ]
    assert len(lines) == 5
    assert not any(box.covers(line) for box in boxes for line in lines)
