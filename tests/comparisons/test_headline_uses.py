"""Where a headline shows beside the comparison: trends, the home page, the API of runs, exports, early stops."""

import pytest

from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.over_time import courses, trends
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.launches import stopping
from evaluations.reports import page, report
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ["ham"] * 20 + ["spam"] * 10
ANSWERS = ["ham"] * 22 + ["spam"] * 8
MACRO_F1 = (40 / 42 + 16 / 18) / 2


@pytest.fixture
def used(project):
    return evaluators.create(project, None, "label", "label", {"headline": "macro_f1"}, {})


@pytest.fixture
def run(project, used):
    experiment = experiments.create(project, None, "e", factories.dataset(project, REFERENCES), [used])
    return factories.scored_run(experiment, ANSWERS)


def test_trends_follow_the_headline(run, used):
    dataset = run.experiment.dataset

    [point] = trends.trend(dataset).points
    course = courses.of_datasets([dataset])[dataset.pk]

    assert point.mean == pytest.approx(MACRO_F1)
    assert point.interval[0] < MACRO_F1 < point.interval[1]
    assert course.points[0].mean == pytest.approx(MACRO_F1)


def test_exports_name_the_statistic(run, used):
    other = factories.scored_run(run.experiment, REFERENCES, "v2")

    row = next(export.rows(Comparison([run, other], run)))

    assert (row["statistic"], row["mean"]) == ("macro_f1", pytest.approx(1.0))


def test_a_report_heads_the_column_with_the_statistic(run, used):
    other = factories.scored_run(run.experiment, REFERENCES, "v2")

    html = page.html(report.report(Comparison([run, other], run)))

    assert '<th scope="col" class="number mean">Macro-F1</th>' in html


def test_launches_do_not_stop_early_by_a_statistic(used):
    with pytest.raises(Invalid, match="by a statistic"):
        stopping.check(evaluators.newest(used), ["a", "b"], 0.1)


def test_a_statistic_is_refused_where_one_of_several_references_counts(project):
    mapping = {"expected": {"path": "$.reference.answer", "many": "any"}}

    with pytest.raises(Invalid) as refused:
        evaluators.create(project, None, "b", "sentence_bleu", {"headline": "corpus_bleu"}, mapping)

    assert list(refused.value.fields) == ["config/headline"]


@pytest.mark.parametrize(
    "config",
    [
        {"headline": "f1"},
        {"headline_label": "spam"},
        {"headline": "f1", "headline_label": "eggs", "labels": ["ham", "spam"]},
    ],
)
def test_an_f1_needs_its_label(project, config):
    with pytest.raises(Invalid):
        evaluators.create(project, None, "l", "label", config, {})


def test_a_statistic_that_no_example_moves_is_a_tie(project):
    """Single words have no run of four, so corpus BLEU is 0, although the answers and their counts differ."""
    corpus = evaluators.create(project, None, "corpus", "sentence_bleu", {"headline": "corpus_bleu"}, {})
    first = evaluators.create(project, None, "exact", "exact_match", {}, {})
    experiment = experiments.create(
        project, None, "e", factories.dataset(project, REFERENCES), [first, corpus]
    )
    base = factories.scored_run(experiment, ["spam"] * 12 + ["ham"] * 18)
    new = factories.scored_run(experiment, REFERENCES, "v2")

    found = {row["evaluator"]: row for row in export.rows(Comparison([base, new], base)) if row["verdict"]}

    assert (found["corpus"]["mean"], found["corpus"]["difference"]) == (0.0, 0.0)
    assert found["corpus"]["verdict"] != "better"
