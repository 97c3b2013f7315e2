"""Cost and latency on the page of an experiment."""

import re

import pytest
from django.test import Client

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Answer, Experiment, Output, Run
from evaluations.reports import page as report_page
from evaluations.reports import report
from tests.comparisons import columns
from tests.pages import markup, text_of

SIZE = 12
UNIT = 10**12


@pytest.fixture
def experiment(project) -> Experiment:
    return columns.experiment(project, SIZE, ["exact_match"])


def variant(
    experiment: Experiment,
    name: str,
    cost: float | None,
    latency: int | None = None,
    right: int | None = None,
) -> Run:
    """A run of which every other answer is right, or the first so many."""
    scores = [position % 2 if right is None else position < right for position in range(SIZE)]
    run = columns.run(experiment, name, [scores])
    for position in range(1, SIZE + 1):
        took = None if latency is None else latency + latency * position // SIZE
        Output.objects.create(run=run, position=position, text="x", latency_ms=took)
        paid = None if cost is None else int(cost * UNIT) + position
        Answer.objects.create(run=run, position=position, cost=paid)
    return run


def page(client: Client, experiment: Experiment, query: str = "") -> str:
    return " ".join(markup(client.get(f"/experiments/{experiment.pk}/{query}")).split())


def plain(said: str) -> str:
    """A text without blanks, which pages have around names."""
    return "".join(said.split())


def test_two_variants_show_the_cost_of_a_thousand_answers(alices, experiment):
    variant(experiment, "dear", 0.002)
    variant(experiment, "cheap", 0.0005)

    html = page(alices, experiment)

    assert re.findall(r'data-name="Cost" data-unit="[^"]+">([^<]+)</td>', html) == ["2.00", "0.50"]
    assert "−1.50" in html
    assert 'class="tradeoff"' in html


def test_a_clear_difference_of_two_is_told_and_its_table_open(alices, experiment):
    variant(experiment, "small", 0.002, latency=100)
    variant(experiment, "large", 0.002, latency=1300)

    html = page(alices, experiment)

    assert plain("takes 1.85 s more an answer than the baseline small (n = 12).") in plain(text_of(html))
    assert re.search('class="fold taken" open', html)


def test_below_a_ranking_the_table_is_folded_until_a_measure_is_chosen(alices, experiment):
    for name, latency in (("small", 100), ("medium", 600), ("large", 1300)):
        variant(experiment, name, 0.002, latency=latency)

    assert not re.search('class="fold taken" open', page(alices, experiment))
    assert re.search('class="fold taken" open', page(alices, experiment, "?across=latency"))


def test_no_clear_difference_of_two_leaves_the_table_closed(alices, experiment):
    for name in ("a", "b"):
        variant(experiment, name, 0.002, latency=100)

    assert not re.search('class="fold taken" open', page(alices, experiment))


def test_the_address_chooses_the_picture(alices, experiment):
    variant(experiment, "dear", 0.002, latency=100)
    variant(experiment, "cheap", 0.0005, latency=300)

    assert "by cost" in page(alices, experiment)
    assert "by latency" in page(alices, experiment, "?across=latency")
    assert "by cost" in page(alices, experiment, "?across=anything")


def test_a_drawing_begins_with_what_differs_and_is_not_of_a_single_point(alices, experiment):
    variant(experiment, "slow", 0.002, latency=300)
    variant(experiment, "fast", 0.002, latency=100)
    other = columns.experiment(experiment.project, SIZE, ["exact_match"])
    for name in ("a", "b"):
        variant(other, name, 0.002, latency=100)

    html = page(alices, experiment)

    assert "by latency" in html
    assert "across=cost" not in html
    assert 'class="tradeoff"' not in page(alices, other)


def test_a_variant_without_a_price_says_so(alices, experiment):
    for name, cost in (("dear", 0.002), ("cheap", 0.001), ("local", None)):
        variant(experiment, name, cost)

    assert '<span class="aside">unknown</span>' in page(alices, experiment)


def test_unknown_cost_and_latency_are_not_shown(alices, experiment):
    variant(experiment, "a", None)
    variant(experiment, "b", None)

    assert 'id="taken"' not in page(alices, experiment)


def test_tokens_and_their_difference_have_the_decimals_of_the_interval(alices, experiment):
    for name, tokens in (("short", 84), ("long", 295)):
        run = columns.run(experiment, name, [[position % 2 for position in range(SIZE)]])
        for position in range(1, SIZE + 1):
            Output.objects.create(run=run, position=position, text="x", tokens=tokens + position % 5)

    html = page(alices, experiment)

    assert re.findall(r'data-name="Tokens" data-unit="[^"]+">([^<]+)</td>', html) == ["86", "297"]
    assert "+211 " in html or "+211<" in html
    assert "+211.000" not in html


def test_of_three_the_best_is_told_against_the_baseline_on_the_page_and_in_the_report(alices, experiment):
    runs = [variant(experiment, name, 0.002) for name in ("base", "bad")]
    runs.append(columns.run(experiment, "best", [[1] * SIZE]))
    for position in range(1, SIZE + 1):
        Output.objects.create(run=runs[2], position=position, text="x")
        Answer.objects.create(run=runs[2], position=position, cost=int(0.005 * UNIT) + position)

    html = page(alices, experiment)
    chosen = "&".join(f"runs={run.pk}" for run in runs)
    shown_report = markup(alices.get(f"/compare/report/?{chosen}&baseline={runs[0].pk}"))

    said = "best costs 3.00 USD more per 1 000 answers than the baseline base (n = 12)."
    assert plain(said) in plain(text_of(html))
    assert plain(said) in plain(text_of(shown_report))


def test_of_two_level_variants_the_cheaper_one_is_named_with_both_costs(alices, experiment):
    variant(experiment, "dear", 0.0019)
    variant(experiment, "cheap", 0.0003, right=6)

    told = plain(text_of(page(alices, experiment)))

    said = "cheap costs 0.30 USD per 1 000 answers, the baseline dear 1.90 (n = 12)."
    undecided, _, costs = told.partition(plain("Quality is undecided ("))[2].partition(plain(" points); "))
    assert costs.startswith(plain(said))
    assert undecided in told.partition(plain("No clear difference"))[2]  # the interval of the headline


def test_a_baseline_that_costs_least_of_two_level_variants_is_named(alices, experiment):
    variant(experiment, "cheap", 0.0003)
    variant(experiment, "dear", 0.0019)

    said = "the baseline cheap costs 0.30 USD per 1 000 answers, dear 1.90 (n = 12)."
    assert plain(said) in plain(text_of(page(alices, experiment)))


def test_of_several_tied_for_best_the_cheapest_is_told_against_the_baseline_everywhere(alices, experiment):
    runs = [variant(experiment, "base", 0.0019)]
    runs += [variant(experiment, name, cost) for name, cost in (("middle", 0.001), ("cheap", 0.0003))]

    said = (
        "Of the 3 variants that may be best, cheap costs least, 0.30 USD per 1 000 answers, "
        "the baseline base 1.90 (n = 12)."
    )
    compared = Comparison(runs, runs[0])
    forms = [
        page(alices, experiment),
        report_page.html(report.report(compared)),
        " ".join(str(cell) for row in export.summary(compared) for cell in row),
        ComparisonSerializer(compared).data["remarks"],
    ]
    for form in forms:
        assert plain(said) in plain(text_of(form))


def test_a_cheap_variant_that_does_not_beat_the_baseline_is_no_choice_beside_one_that_does(
    alices, experiment
):
    for name, cost, right in (("base", 0.002, 2), ("middling", 0.003, 6), ("best", 0.005, 11)):
        variant(experiment, name, cost, right=right)

    told = plain(text_of(page(alices, experiment)))

    assert plain("best leads on") in told
    assert plain("with no clear difference from middling.") in told
    assert plain("best costs 3.00 USD more per 1 000 answers than the baseline base (n = 12).") in told
    assert "costsleast" not in told


def test_a_difference_in_cost_that_is_not_clear_is_told_as_such(alices, experiment):
    variant(experiment, "base", 0.0019)
    other = variant(experiment, "other", 0.0018)
    Answer.objects.filter(run=other, position=1).update(cost=int(0.0025 * UNIT))

    told = "other costs 1.86 USD per 1 000 answers, the baseline base 1.90, no clear difference (n = 12)."
    assert plain(told) in plain(text_of(page(alices, experiment)))


def test_costs_that_look_equal_are_not_told_apart(alices, experiment):
    variant(experiment, "base", 0.001)
    variant(experiment, "other", 0.0010000001)

    assert "costs" not in page(alices, experiment).partition('id="taken"')[2].partition("</summary>")[0]


def test_of_several_tied_with_the_baseline_as_the_cheapest_the_dearest_is_told_beside_it(alices, experiment):
    for name, cost in (("base", 0.001), ("same", 0.001), ("dear", 0.04)):
        variant(experiment, name, cost)

    said = "may be best, the baseline base costs least, 1.00 USD per 1 000 answers, dear 40.00 (n = 12)."
    assert plain(said) in plain(text_of(page(alices, experiment)))
