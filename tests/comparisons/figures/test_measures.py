"""Cost and latency beside the evaluators: compared, never filled in, lower is better."""

import csv
import io

import numpy as np
import pytest
from scipy import stats

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import export
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.measures import Measured
from evaluations.models import Answer, Generation, Launch, Output, Run
from evaluations.models.spending import Budget
from tests import factories
from tests.comparisons import columns

answer_of = ComparisonSerializer().to_representation
SIZE = 40
UNIT = 10**12  # of the currency, as costs are stored


@pytest.fixture
def experiment(project):
    return columns.experiment(project, SIZE, ["exact_match"])


def timed(experiment, variant: str, milliseconds=None, costs=None) -> Run:
    """A run with a latency and a cost for each example; NaN for none."""
    run = columns.run(experiment, variant, [np.arange(SIZE) % 2])
    for position in range(1, SIZE + 1):
        latency = None if milliseconds is None else int(milliseconds[position - 1])
        Output.objects.create(run=run, position=position, text="x", latency_ms=latency)
        if costs is not None:
            cost = costs[position - 1]
            Answer.objects.create(
                run=run, position=position, cost=None if np.isnan(cost) else int(cost * UNIT)
            )
    return run


def measured(name: str, *runs: Run) -> list[dict]:
    return [row for row in answer_of(Comparison(runs, runs[0]))["measures"] if row["measure"] == name]


def test_cost_is_compared_pair_by_pair(experiment):
    dear = np.arange(1, SIZE + 1) / 1_000
    cheap = dear - 0.0005 - np.arange(SIZE) % 3 / 10_000
    runs = timed(experiment, "dear", costs=dear), timed(experiment, "cheap", costs=cheap)

    first, second = measured("cost", *runs)

    assert (first["mean"], first["difference"], first["verdict"]) == (pytest.approx(0.0205), None, None)
    assert second["mean"] == pytest.approx(cheap.mean())
    assert second["difference"] == pytest.approx((cheap - dear).mean())
    assert (second["verdict"], second["n"]) == ("better", SIZE)
    assert second["interval"][1] < 0


def test_an_answer_whose_cost_is_unknown_makes_no_pair(experiment):
    costs = np.linspace(0.001, 0.002, SIZE)
    partly_known = np.where(np.arange(SIZE) < 10, np.nan, costs + 0.001)

    _, second = measured(
        "cost", timed(experiment, "a", costs=costs), timed(experiment, "b", costs=partly_known)
    )

    assert (second["n"], second["verdict"]) == (SIZE - 10, "worse")
    assert second["difference"] == pytest.approx(0.001)


def test_latency_is_compared_too(experiment):
    slow, quick = 900 + np.arange(SIZE), 400 + np.arange(SIZE)

    _, second = measured("latency", timed(experiment, "slow", slow), timed(experiment, "quick", quick))

    assert (second["difference"], second["verdict"]) == (-500, "better")


def test_the_interval_of_a_mean_is_no_narrower_than_students(experiment):
    """Student's interval of the mean alone, as scipy gives it."""
    chance = np.random.default_rng(5)
    costs = chance.lognormal(-6, 0.4, SIZE).round(9)

    first, _ = measured("cost", timed(experiment, "a", costs=costs), timed(experiment, "b", costs=costs))

    low, high = stats.t.interval(0.95, SIZE - 1, costs.mean(), stats.sem(costs))
    assert first["mean_interval"][0] <= low * 1.002
    assert high * 0.998 <= first["mean_interval"][1] < high * 1.2


def test_a_measure_known_for_one_variant_is_not_compared(experiment):
    runs = timed(experiment, "a", costs=np.full(SIZE, 0.1)), timed(experiment, "b")

    assert {row["measure"] for row in answer_of(Comparison(runs, runs[0]))["measures"]} == {"answers"}


def test_repeated_runs_have_the_mean_of_their_costs(experiment):
    base = timed(experiment, "a", costs=np.full(SIZE, 0.1))
    repeats = [timed(experiment, "b", costs=np.full(SIZE, cost)) for cost in (0.2, 0.4)]

    comparison = Comparison([base, *repeats], base, repeats=True)

    assert comparison.figures.measures.measure("cost").means == [pytest.approx(0.1), pytest.approx(0.3)]


def test_latencies_of_a_sample_far_behind_the_first_examples_are_known(project):
    """A launch asks examples in a random order; a hundred positions at the start need not be among them."""
    experiment = columns.experiment(project, 150, ["exact_match"])
    runs = [columns.run(experiment, name, [np.arange(150) % 2]) for name in ("a", "b")]
    budget = Budget.objects.create(project=project)
    launch = Launch.objects.create(project=project, experiment=experiment, budget=budget, seed=1, size=40)
    for run in runs:
        Generation.objects.create(run=run, launch=launch, model="m")
        Output.objects.bulk_create(
            Output(run=run, position=n, text="x", latency_ms=n) for n in range(111, 151)
        )

    assert {row["measure"] for row in answer_of(Comparison(runs, runs[0]))["measures"]} == {
        "answers",
        "latency",
    }


def test_the_table_has_a_row_for_each_measure(experiment):
    costs, latencies = np.linspace(0.1, 0.2, SIZE), np.arange(SIZE)
    runs = timed(experiment, "a", latencies, costs), timed(experiment, "b", latencies, costs)

    table = list(csv.DictReader(io.StringIO(export.as_csv(Comparison(runs, runs[0])).decode())))

    assert [row["evaluator"] for row in table if row["role"] == "measure"] == ["answers", "latency", "cost"]


def test_answers_without_a_score_are_looked_up_in_one_query_for_all_runs(project, django_assert_num_queries):
    experiment = factories.experiment(project, "numeric_match", references=("1", "1", "2"))
    said = [["1", "no number", None], ["1", "none", "2"], [None, "1", "no"]]
    runs = [factories.scored_run(experiment, outputs, f"v{n}") for n, outputs in enumerate(said)]
    figures = Comparison(runs, runs[0]).figures
    measured = Measured(figures.aligner, figures.primary.pk, figures.primary_family.scored.tallies)

    figures.aligner.judged(figures.primary.pk)
    with django_assert_num_queries(1):
        answers = measured.answers()

    assert [(column.values == 1).sum() for column in answers.columns.columns] == [2, 3, 2]
