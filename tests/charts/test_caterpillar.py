"""The decoration beside the sign-in form."""

import re

from evaluations.charts import caterpillar


def test_an_interval_has_the_colour_of_its_side_of_the_baseline():
    rows = re.findall(r'<g data-verdict="(\w+)"><path d="M([\d.]+) [\d.]+H([\d.]+)"', caterpillar())

    assert len(rows) == 46
    assert {verdict for verdict, _, _ in rows} == {"better", "cannot_tell", "worse"}
    assert all((float(low) > 280) == (verdict == "better") for verdict, low, _ in rows)
    assert all((float(high) < 280) == (verdict == "worse") for verdict, _, high in rows)
