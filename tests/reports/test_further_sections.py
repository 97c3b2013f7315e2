"""Sections of a report besides the verdict: subsets, corpus scores, agreement, and all other runs."""

import numpy as np
import pytest

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.experiments import experiments
from evaluations.reports import page, report
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons import columns
from tests.comparisons.test_subsets import LEGAL, SIZE, planted
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def html(comparison: Comparison) -> str:
    return page.html(report.report(comparison))


@pytest.fixture
def translated(project):
    """Three runs of one experiment, by exact match and chrF."""
    experiment = factories.experiment(project, "exact_match", "chrf")
    outputs = (("Paris", "Roma", "Oslo"), ("Paris", "Rome", "Osla"), ("Lyon", "Rom", "Os"))
    return [
        factories.scored_run(experiment, texts, name)
        for name, texts in zip(("old", "new", "weak"), outputs, strict=True)
    ]


def test_a_subset_that_differs_is_named_with_its_interval(project):
    written = html(planted(project))

    assert "reversed" in written
    assert f'data-name="Examples">{LEGAL}</td>' in written


def test_a_subset_that_a_variant_did_not_answer_says_so_in_place_of_a_verdict(project):
    written = " ".join(html(planted(project, missing=range(LEGAL))).split())

    assert "<b>−0.495</b> <small>No output of b has a score.</small>" in written


def test_a_report_explains_a_missing_ranking(project):
    written = html(planted(project, missing=range(SIZE)))

    assert '<p class="report-care">No output of b has a score.</p>' in written


@pytest.fixture
def three_variants(project):
    """Three runs: one is worse on legal, the third everywhere."""
    two = planted(project)
    third = columns.run(two.sides.experiment, "third", [np.full(two.figures.size, 0.2)])
    return Comparison([*two.sides.runs, third], two.sides.baseline.run)


def test_a_report_of_many_variants_names_opposing_subsets(three_variants):
    assert "is worse on legal" in text_of(html(three_variants))


def test_the_api_names_opposing_subsets_of_many_variants(three_variants):
    answer = ComparisonSerializer(three_variants).data

    assert "is worse on legal" in answer["sentence"]
    assert "legal" not in answer["remarks"]


def test_a_filter_is_shown_with_the_remaining_examples(project):
    comparison = planted(project)
    filtered = Comparison(
        comparison.sides.runs, comparison.sides.runs[0], example_filter=ExampleFilter([("topic", "legal")])
    )

    assert f"{LEGAL} of 300 examples remain" in " ".join(html(filtered).split())


def test_corpus_scores_stand_beside_the_word_why_they_differ(translated):
    written = html(Comparison(translated[:2], translated[0]))

    assert "nrefs:1|" in written
    assert "can rank variants differently" in written


def test_the_leaderboard_has_the_runs_of_other_comparisons_too(translated):
    written = html(Comparison(translated[:2], translated[0]))

    _, _, board = written.partition('id="board"')
    assert board.count("in this report") == 2
    assert "weak" in board


def test_every_drawing_has_colours_of_the_theme(translated, browser):
    with browser.new_context(color_scheme="dark") as context:
        paper = context.new_page()
        paper.set_content(html(Comparison(translated[:2], translated[0])))
        lines, points = (
            set(paper.locator(part).evaluate_all(f"all => all.map(each => getComputedStyle(each).{colour})"))
            for part, colour in (("svg.interval line", "stroke"), ("svg.interval circle", "fill"))
        )

    assert lines
    assert points
    assert "none" not in lines
    assert "rgb(0, 0, 0)" not in points  # elements without a colour are black, on any theme


def test_a_run_that_is_no_longer_the_latest_is_not_ranked(translated):
    factories.scored_run(translated[0].experiment, ("Paris", "Rome", "Oslo"), "old")

    assert "old is not ranked: the variant has a later run." in text_of(
        html(Comparison(translated[:2], translated[0]))
    )


def test_a_run_of_another_dataset_is_not_ranked(project, translated):
    again = factories.dataset(project, name="capitals again")
    used = [version.evaluator for version in experiments.versions_of(translated[0].experiment)]
    second = experiments.create(project, None, "again", again, used)
    later = factories.scored_run(second, ("Paris", "Rome", "Oslo"), "later")

    assert "later is not ranked: it is of another dataset." in text_of(
        html(Comparison([translated[0], later], translated[0]))
    )


def test_evaluators_are_correlated_with_the_primary_one(translated):
    _, _, agreement = html(Comparison(translated, translated[0])).partition('id="agreement"')

    assert 'data-name="n">9</td>' in agreement


def test_scores_from_elsewhere_order_the_variants(project):
    rows = [
        {"id": f"{n}", "q": f"q{n}", "a": f"answer {n}"}
        | {name: f"answer {n}"[: 3 + number] for number, name in enumerate("xyz")}
        | {f"human {name}": number + n % 2 for number, name in enumerate("xyz")}
        for n in range(12)
    ]
    mapping = {
        "inputs": ["q"],
        "reference": ["a"],
        "key": "id",
        "outputs": {name: name for name in "xyz"},
        "scores": {"people": {name: f"human {name}" for name in "xyz"}},
    }
    experiment = factories.imported(project, factories.jsonl(*rows), mapping=mapping).experiments.get()
    experiments.add_evaluators(experiment, [factories.evaluator(project, "chrf")])
    while scoring.work(seconds=10):
        pass

    runs = list(experiment.runs.order_by("pk"))

    assert "Evaluators against people" in text_of(html(Comparison(runs, runs[0])))
