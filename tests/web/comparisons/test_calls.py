"""“The same by API” below a page: its call has the rows that the page lists."""

import re
from urllib.parse import parse_qs, urlsplit

from tests import factories

TEXTS = ["Paris", "Rome", "Oslo", "Bern"]


def test_the_call_of_a_filtered_list_asks_for_the_two_variants_that_it_shows(alices, project):
    experiment = factories.experiment(project, "exact_match", references=TEXTS)
    base, one, two = (
        factories.scored_run(experiment, outputs, name)
        for name, outputs in (("base", TEXTS), ("one", ["x", *TEXTS[1:]]), ("two", ["x", "x", "x", "Bern"]))
    )

    for query, pair in (("?show=worse", None), (f"?show=worse&variant={two.pk}&with={one.pk}", (one, two))):
        response = alices.get(f"/experiments/{experiment.pk}/{query}")
        address = re.search(r"/api/v1/comparisons/examples/\?[^'\" ]+", response.context["api_call"])[0]
        asked = parse_qs(urlsplit(address).query)
        shown, other = pair or (base, response.context["pair"][0])
        assert asked["baseline"] == [str(shown.pk)]
        assert {*asked["runs"][0].split(",")} == {str(shown.pk), str(other.pk)}
        assert asked["outcome"] == ["worse"]
