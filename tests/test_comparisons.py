"""Runs side by side. Figures are worked out by hand in the comments."""

import pytest

from evaluations import compared, datasets, evaluators, experiments, runs, scoring
from evaluations.compared import Question
from evaluations.comparisons import Comparison
from evaluations.errors import Invalid
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(project):
    """Two runs on five capitals: the second is right where the first is wrong twice, wrong once where it is right."""
    experiment = factories.experiment(
        project, "exact_match", "levenshtein_distance", references=("Paris", "Rome", "Oslo", "Bern", "Riga")
    )
    first = factories.scored_run(experiment, ("Paris", "Lyon", "Osla", "Bern", "Riga"), "first")
    second = factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "Bonn", None), "second")
    return first, second


def entry(pair, name: str) -> dict:
    first, second = pair
    found = Comparison([first, second], first).as_dict()["entries"]
    return next(e for e in found if e["evaluator"]["name"] == name)


def test_means_are_those_of_the_examples_both_have(pair):
    # Exact match scores a missing output 0.0 (its page says so): pairs 1-1, 0-1, 0-1, 1-0, 1-0.
    found = entry(pair, "exact match")

    assert (found["n"], found["baseline_mean"], found["mean"]) == (5, 3 / 5, 3 / 5)
    assert (found["wins"], found["losses"], found["ties"]) == (2, 2, 1)


def test_an_example_without_a_score_is_in_one_run_only(pair):
    # Distances: Paris 0-0, Lyon/Rome 4-0, Osla 1-0, Bern/Bonn 0-2, Riga 0-nothing.
    found = entry(pair, "levenshtein distance")

    assert (found["n"], found["only_baseline"], found["only_run"]) == (4, 1, 0)
    assert found["baseline_mean"] == pytest.approx(5 / 4)
    assert found["mean"] == pytest.approx(2 / 4)
    assert found["difference"] == pytest.approx(-3 / 4)


def test_of_distances_the_smaller_wins(pair):
    found = entry(pair, "levenshtein distance")

    assert (found["wins"], found["losses"], found["ties"]) == (2, 1, 1)


def test_the_counts_of_examples_sum_to_those_there_are(pair):
    found = entry(pair, "levenshtein distance")

    assert sum(found[name] for name in ("n", "only_run", "only_baseline", "missing", "error")) == 5


def test_a_run_compared_with_itself_is_the_same(pair):
    found = Comparison([pair[0], pair[0]], pair[0])

    assert found.entries == []


def test_runs_of_different_datasets_cannot_be_compared(pair, project):
    other = experiments.create(project, None, "other", factories.dataset(project, name="others"), [])
    run = runs.create(other, None, "v", [])

    with pytest.raises(Invalid, match="different datasets"):
        Comparison([pair[0], run], pair[0])


def test_missing_outputs_are_said_first(pair):
    codes = {warning["code"] for warning in Comparison(pair, pair[0]).warnings}

    assert "missing_outputs" in codes


def test_versions_of_an_evaluator_that_differ_are_said(pair, project):
    exact = next(e for e in experiments.versions_of(pair[0].experiment) if e.kind == "exact_match").evaluator
    evaluators.change(exact, None, config={"case_sensitive": False})
    runs.add_scorings(pair[1], [exact])
    while scoring.work(5):
        pass

    warnings = Comparison(pair, pair[0]).warnings
    assert any(w["code"] == "evaluator_versions" and "exact match" in w["message"] for w in warnings)


def rows(pair, **question) -> list[int]:
    found = Comparison(pair, pair[0])
    evaluator = next(e for e in found.evaluators if e.name == "levenshtein distance")
    return [row.position for row in compared.examples(found, Question(evaluator, **question), 50).rows]


def test_the_biggest_drop_comes_first(pair):
    # Gains: 0, +4, +1, -2, none; what cannot be compared comes last.
    assert rows(pair) == [4, 1, 3, 2, 5]


def test_the_biggest_gain_comes_first_when_asked(pair):
    assert rows(pair, order="gain") == [2, 3, 1, 4, 5]


@pytest.mark.parametrize(
    ("outcome", "positions"), [("worse", [4]), ("better", [3, 2]), ("same", [1]), ("missing", [5])]
)
def test_rows_are_filtered_by_their_outcome(pair, outcome, positions):
    assert rows(pair, outcome=outcome) == positions


def test_rows_are_found_by_their_texts(pair):
    assert rows(pair, search="bonn") == [4]


def test_pages_neither_skip_nor_repeat(pair):
    found = Comparison(pair, pair[0])
    question, seen, after = Question(found.evaluators[0]), [], None
    for _ in range(5):
        page = compared.examples(found, question, 1, after=after)
        seen += [row.position for row in page.rows]
        after = page.after

    assert after is None
    assert sorted(seen) == [1, 2, 3, 4, 5]


def test_going_back_shows_the_rows_before(pair):
    found = Comparison(pair, pair[0])
    question = Question(found.evaluators[0])
    first = compared.examples(found, question, 2)
    second = compared.examples(found, question, 2, after=first.after)

    back = compared.examples(found, question, 2, before=second.before)

    assert [row.position for row in back.rows] == [row.position for row in first.rows]


# ---- examples that belong together -------------------------------------------------------------------------


@pytest.fixture
def clustered(project):
    """Two runs on 40 questions about eight documents: the second is right on all five of four documents more."""
    rows = [
        {"inputs": {"q": n}, "reference": {"answer": "yes"}, "metadata": {"document": n // 5}}
        for n in range(40)
    ]
    made = datasets.create(project, None, "documents", rows)
    similar = factories.evaluator(project, "levenshtein_similarity")
    experiment = experiments.create(project, None, "clusters", made, [similar])
    first = factories.scored_run(experiment, ["no"] * 40, "first")
    second = factories.scored_run(experiment, ["yes" if n % 10 < 5 else "no" for n in range(40)], "second")
    return first, second


def test_examples_that_belong_together_widen_the_interval(clustered):
    alone = Comparison(clustered, clustered[0]).entries[0].paired
    together = Comparison(clustered, clustered[0], cluster="document").entries[0].paired

    assert together.difference == alone.difference
    assert together.method == "cluster_t"
    assert together.interval[1] - together.interval[0] > 1.5 * (alone.interval[1] - alone.interval[0])


def test_a_column_that_is_not_there_is_refused_with_those_there_are(clustered):
    with pytest.raises(Invalid, match="document"):
        Comparison(clustered, clustered[0], cluster="author")
