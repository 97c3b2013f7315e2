"""Names beside lines that end near each other."""

import re

from evaluations.charts import attempts

HEIGHTS = re.compile(r'<text class="(?:name|minor)" x="[\d.]+" y="([\d.]+)">([^<]+)<')


def _names(*variants):
    return {name: float(y) for y, name in HEIGHTS.findall(str(attempts.fan(variants, "right")))}


def test_names_of_equal_lines_stand_below_each_other():
    heights = _names(("old", [0.5, 0.5], [0.5, 0.5]), ("new", [0.5, 0.5], [0.5, 0.5]))

    assert abs(heights["old"] - heights["new"]) >= attempts.LINE


def test_the_name_of_a_line_apart_from_others_stands_at_its_end():
    apart, alone = _names(("old", [0.9], [0.9]), ("new", [0.1], [0.1])), _names(("old", [0.9], [0.9]))

    assert apart["old"] < apart["new"]
    assert len(alone) == 1
