"""Comparisons of runs. Expected figures are computed by hand in the comments."""

import csv
import io
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import export
from evaluations.comparisons.alignment.alignment import Aligner
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples, output_differences
from evaluations.comparisons.examples.examples import Question
from evaluations.comparisons.figures import cache
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators, versions
from evaluations.experiments import about, experiments, runs
from evaluations.models import Output, Run, Scoring
from evaluations.scoring import column_cache, jobs, scoring
from tests import factories

answer_of = ComparisonSerializer().to_representation
pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(project):
    """Two runs on five capitals: the second corrects both wrong answers of the first, fails one more, and lacks one."""
    experiment = factories.experiment(
        project, "exact_match", "levenshtein_distance", references=("Paris", "Rome", "Oslo", "Bern", "Riga")
    )
    first = factories.scored_run(experiment, ("Paris", "Lyon", "Osla", "Bern", "Riga"), "first")
    second = factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "Bonn", None), "second")
    return first, second


def entry(pair, name: str, **options) -> dict:
    first, second = pair
    entries = answer_of(Comparison([first, second], first, **options))["entries"]
    return next(entry for entry in entries if entry["evaluator"]["name"] == name)


def test_means_are_over_examples_scored_by_both(pair):
    # A missing output counts as worst, 0 for exact match: pairs 1-1, 0-1, 0-1, 1-0, 1-0.
    figures = entry(pair, "exact match")

    assert (figures["n"], figures["baseline_mean"], figures["mean"]) == (5, 3 / 5, 3 / 5)
    assert (figures["wins"], figures["losses"], figures["ties"]) == (2, 2, 1)


def test_an_example_without_a_score_is_in_one_run_only(pair):
    # Distances: Paris 0-0, Lyon/Rome 4-0, Osla 1-0, Bern/Bonn 0-2, Riga 0-nothing.
    figures = entry(pair, "levenshtein distance", missing="exclude")

    assert (figures["n"], figures["only_baseline"], figures["only_run"]) == (4, 1, 0)
    assert figures["baseline_mean"] == pytest.approx(5 / 4)
    assert figures["mean"] == pytest.approx(2 / 4)
    assert figures["difference"] == pytest.approx(-3 / 4)


def test_of_distances_the_smaller_wins(pair):
    figures = entry(pair, "levenshtein distance", missing="exclude")

    assert (figures["wins"], figures["losses"], figures["ties"]) == (2, 1, 1)


def test_the_counts_add_up_to_the_number_of_examples(pair):
    figures = entry(pair, "levenshtein distance")

    assert sum(figures[name] for name in ("n", "only_run", "only_baseline", "missing", "error")) == 5


def test_a_run_compared_with_itself_is_the_same(pair):
    comparison = Comparison([pair[0], pair[0]], pair[0])

    assert comparison.figures.entries == []


def test_the_warning_of_missing_outputs_comes_first(pair):
    codes = {warning["code"] for warning in Comparison(pair, pair[0]).warnings}

    assert "missing_outputs" in codes


def test_a_warning_names_versions_of_an_evaluator_that_differ(pair, project):
    exact = next(e for e in experiments.versions_of(pair[0].experiment) if e.kind == "exact_match").evaluator
    evaluators.change(exact, None, config={"case_sensitive": False})
    runs.add_scorings(pair[1], [exact])
    while scoring.work(5):
        pass

    warnings = Comparison(pair, pair[0]).warnings
    assert any(w["code"] == "evaluator_versions" and "exact match" in w["message"] for w in warnings)


def rows(pair, **question) -> list[int]:
    comparison = Comparison(pair, pair[0], missing="exclude")
    evaluator = next(e for e in comparison.evaluators if e.name == "levenshtein distance")
    return [row.position for row in examples.examples(comparison, Question(evaluator, **question), 50).rows]


def test_the_biggest_drop_comes_first(pair):
    # Gains: 0, +4, +1, -2, none; incomparable examples come last.
    assert rows(pair) == [4, 1, 3, 2, 5]


def test_the_biggest_gain_comes_first_when_asked(pair):
    assert rows(pair, order="gain") == [2, 3, 1, 4, 5]


@pytest.mark.parametrize(
    ("outcome", "positions"), [("worse", [4]), ("better", [3, 2]), ("same", [1]), ("missing", [5])]
)
def test_rows_are_filtered_by_their_outcome(pair, outcome, positions):
    assert rows(pair, outcome=outcome) == positions


@pytest.mark.parametrize(("least", "positions"), [(1, [4, 3, 2]), (1.5, [4, 2]), (4, [2]), (5, [])])
def test_rows_are_filtered_by_how_far_apart_their_scores_are(pair, least, positions):
    assert rows(pair, least=least) == positions


def test_rows_are_found_by_their_texts(pair):
    assert rows(pair, search="bonn") == [4]


def test_pages_neither_skip_nor_repeat(pair):
    comparison = Comparison(pair, pair[0])
    question, positions, after = Question(comparison.evaluators[0]), [], None
    for _ in range(5):
        page = examples.examples(comparison, question, 1, after=after)
        positions += [row.position for row in page.rows]
        after = page.after

    assert after is None
    assert sorted(positions) == [1, 2, 3, 4, 5]


def test_going_back_shows_the_rows_before(pair):
    comparison = Comparison(pair, pair[0])
    question = Question(comparison.evaluators[0])
    first = examples.examples(comparison, question, 2)
    second = examples.examples(comparison, question, 2, after=first.after)

    page_before = examples.examples(comparison, question, 2, before=second.before)

    assert [row.position for row in page_before.rows] == [row.position for row in first.rows]


def distances_first(pair, **changes) -> list[int]:
    comparison = Comparison(pair, pair[0], **changes)
    evaluator = next(
        evaluator for evaluator in comparison.evaluators if evaluator.name == "levenshtein distance"
    )
    return [row.position for row in examples.examples(comparison, Question(evaluator), 50).rows]


def test_a_page_of_examples_is_remembered_until_a_run_is_scored_again(pair, project, monkeypatch):
    before = distances_first(pair, missing="exclude")
    with monkeypatch.context() as patched:
        patched.delattr(examples, "Alignment")  # computing the alignment again would fail
        assert distances_first(pair, missing="exclude") == before
        with pytest.raises(NameError):
            distances_first(pair, missing="worst")
    # Now "Rome" instead of "Lyon" is 4 edits worse in the second run, no longer better.
    Output.objects.filter(run=pair[0], position=2).update(text="Rome")
    Output.objects.filter(run=pair[1], position=2).update(text="Lyon")
    for run in pair:
        jobs.score_again(run)
    while scoring.work(5):
        pass
    fresh = [Run.objects.get(pk=run.pk) for run in pair]

    assert before == [4, 1, 3, 2, 5]
    assert distances_first(fresh, missing="exclude") == [2, 4, 1, 3, 5]


def test_outputs_are_compared_while_another_thread_empties_the_cache(pair, project):
    third = factories.scored_run(pair[0].experiment, ("Paris", "Lyon", "x", "Bern", "Riga"), "third")
    question = Question(Comparison(pair, pair[0]).evaluators[0], different=True)
    examples.examples(Comparison(pair, pair[0]), question, 50)

    def forget(execute, sql, *parameters):
        if "EXISTS" in sql:  # The outputs of the third run, after the cache said that it knows the second.
            output_differences.process_cache.clear()
        return execute(sql, *parameters)

    with connection.execute_wrapper(forget):
        page = examples.examples(Comparison([*pair, third], pair[0]), question, 50)

    # Riga has no output in the second run.
    assert sorted(row.position for row in page.rows) == [2, 3, 4, 5]


# ---- clusters ----------------------------------------------------------------------------------------------


@pytest.fixture
def clustered(project):
    """Two runs on 40 questions about eight documents: in four documents, only the second is right on all five."""
    rows = [
        {"inputs": {"q": n}, "reference": {"answer": "yes"}, "metadata": {"document": n // 5}}
        for n in range(40)
    ]
    dataset = datasets.create(project, None, "documents", rows)
    similar = factories.evaluator(project, "levenshtein_similarity")
    experiment = experiments.create(project, None, "clusters", dataset, [similar])
    first = factories.scored_run(experiment, ["no"] * 40, "first")
    second = factories.scored_run(experiment, ["yes" if n % 10 < 5 else "no" for n in range(40)], "second")
    return first, second


def test_examples_that_belong_together_widen_the_interval(clustered):
    alone = Comparison(clustered, clustered[0], cluster="none").figures.entries[0].paired
    together = Comparison(clustered, clustered[0], cluster="document").figures.entries[0].paired

    assert together.difference == alone.difference
    assert together.clusters == 8
    assert together.interval[1] - together.interval[0] > 1.5 * (alone.interval[1] - alone.interval[0])


def test_the_error_of_an_unknown_column_lists_the_known_ones(clustered):
    with pytest.raises(Invalid, match="document"):
        Comparison(clustered, clustered[0], cluster="author")


# ---- several runs of one variant ---------------------------------------------------------------------------


@pytest.fixture
def repeated(project):
    """One run of "base" and three of "terse", which has Paris right always, Rome twice, Oslo once, Bern never."""
    experiment = factories.experiment(project, "exact_match", references=("Paris", "Rome", "Oslo", "Bern"))
    base = factories.scored_run(experiment, ("Paris", "x", "x", "Bern"), "base")
    outputs = (("Paris", "Rome", "Oslo", "x"), ("Paris", "Rome", "x", "x"), ("Paris", "x", "x", "x"))
    return [base, *(factories.scored_run(experiment, texts, "terse") for texts in outputs)]


def test_repeats_are_one_column_of_means(repeated):
    comparison = Comparison(repeated, repeated[0], repeats=True)

    [entry] = comparison.figures.entries
    assert [run.pk for run in entry.runs] == [run.pk for run in repeated[1:]]
    # Terse: 1, 2/3, 1/3, 0 in four examples, not in twelve.
    assert (entry.paired.n, entry.paired.mean, entry.paired.baseline_mean) == (4, pytest.approx(1 / 2), 1 / 2)
    assert (entry.paired.wins, entry.paired.losses, entry.paired.ties) == (2, 1, 1)


def test_runs_of_one_name_with_different_statements_are_not_averaged(repeated):
    base, *terse = repeated
    for run, statement in zip(
        terse, ({"model": "m", "seed": 1}, {"seed": 1, "model": "m"}, {"model": "n"}), strict=True
    ):
        about.describe(run, statement)

    comparison = Comparison(repeated, base, repeats=True)
    answer, table = answer_of(comparison), list(export.rows(comparison))

    assert [entry["runs"] for entry in answer["entries"]] == [[terse[0].pk, terse[1].pk], [terse[2].pk]]
    assert len({ranked["about_digest"] for ranked in answer["ranking"]}) == 3
    names = [comparison.sides.label(side.run) for side in comparison.sides]
    assert len(set(names)) == 3
    assert all(name in comparison.sentence.text for name in names) or "3 variants" in comparison.sentence.text
    primary = [(row["variant"], row["about"]) for row in table if row["role"] == "primary"]
    assert primary == [(names[1], '{"seed":1,"model":"m"}'), (names[2], '{"model":"n"}')]


def test_means_of_verdicts_are_compared_as_scores(repeated):
    averaged = Comparison(repeated, repeated[0], repeats=True)

    assert not averaged.evaluators.scales[averaged.evaluators.primary.pk].binary
    assert Comparison(repeated, repeated[0]).evaluators.scales[averaged.evaluators.primary.pk].binary


def test_without_the_choice_every_run_is_a_column(repeated):
    comparison = Comparison(repeated, repeated[0])

    assert [entry.paired.mean for entry in comparison.figures.entries] == [3 / 4, 2 / 4, 1 / 4]


def test_an_example_that_one_repeat_lacks_has_the_mean_of_the_others(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=("abcd", "abcd"))
    base = factories.scored_run(experiment, ("abcd", "abcd"), "base")
    repeats = [factories.scored_run(experiment, texts, "terse") for texts in (("ab", None), ("abcd", "abcd"))]

    [entry] = Comparison([base, *repeats], base, repeats=True, missing="exclude").figures.entries

    assert (entry.paired.n, entry.paired.mean) == (2, pytest.approx((0.75 + 1) / 2))


def test_rows_show_the_mean_score_and_the_newest_text(repeated):
    comparison = Comparison(repeated, repeated[0], repeats=True)

    rows = examples.examples(comparison, Question(comparison.evaluators[0], order="position"), 10).rows

    assert [row.rows[1].scores["exact match"].value for row in rows] == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert [row.rows[1].output for row in rows] == ["Paris", "x", "x", "x"]


def test_another_process_finds_cached_comparisons(pair, monkeypatch):
    monkeypatch.setattr(
        cache, "ENTRIES", 10**18
    )  # of a thousand places, two of its results share one now and then
    first = answer_of(Comparison(pair, pair[0]))
    cache.process_cache.clear()
    column_cache.process_cache.clear()

    with CaptureQueriesContext(connection) as queries:
        assert answer_of(Comparison(pair, pair[0])) == first
    assert not [query for query in queries if "block" in query["sql"]]


def test_a_run_that_is_scored_again_is_compared_again(pair, monkeypatch):
    before = answer_of(Comparison(pair, pair[0]))["entries"]
    Output.objects.filter(run=pair[1], position=1).update(text="x")
    jobs.score_again(pair[1])
    while scoring.work(5):
        pass

    after = Comparison(list(Run.objects.filter(pk__in=[run.pk for run in pair]).order_by("pk")), pair[0])
    assert answer_of(after)["entries"] != before


def test_figures_of_a_running_scoring_that_took_long_are_kept_for_a_while(pair, monkeypatch):
    """Every reader would else compute a million examples for every page, while workers score them."""
    Scoring.objects.update(summary=None)
    aligned = Aligner.aligned
    read = Mock(side_effect=lambda *args: aligned(*args))
    monkeypatch.setattr(Aligner, "aligned", lambda *args: read(*args))

    def reads() -> int:
        answer_of(Comparison(list(Run.objects.order_by("pk")), pair[0]))
        return read.call_count

    monkeypatch.setattr(cache, "LONG", 0)
    monkeypatch.setattr(cache, "TIMES", 1e9)
    assert reads() == reads()

    cache.passing_cache.clear()
    monkeypatch.setattr(cache, "LONG", 60)
    assert reads() < reads()


# ---- comparable runs ---------------------------------------------------------------------------------------


def test_a_warning_names_the_settings_that_versions_differ_in(pair):
    exact = next(e for e in experiments.versions_of(pair[0].experiment) if e.kind == "exact_match").evaluator
    mapping = {"actual": {"path": "$.output"}, "expected": {"path": "$.reference.answer"}}
    evaluators.change(exact, None, config={"case_sensitive": False}, mapping=mapping)
    runs.add_scorings(pair[1], [exact])
    while scoring.work(5):
        pass

    [message] = [
        w["message"] for w in Comparison(pair, pair[0]).warnings if w["code"] == "evaluator_versions"
    ]

    assert "first with v1; second with v2" in message
    assert "case-sensitive on → off" in message
    assert "mapping of expected default → $.reference.answer" in message


def test_an_embedding_model_that_differs_is_named(project):
    semantic = factories.evaluator(project, "semantic_similarity", model="small")
    evaluators.change(semantic, None, config={"model": "large"})
    new, old = semantic.versions.all()

    assert [str(difference) for difference in versions.differences(old, new)] == [
        "embedding model “small” → “large”"
    ]


@pytest.mark.parametrize("later_first", [False, True])
def test_an_edited_example_without_a_key_is_paired_with_its_old_state(project, later_first):
    rows = [{"inputs": {"q": text}, "reference": {"a": text}} for text in "abc"]
    dataset = datasets.create(project, None, "keyless", rows)
    evaluators_used = [factories.evaluator(project)]
    before = experiments.create(project, None, "before", dataset, evaluators_used)
    factories.scored_run(before, ("a", "b", "x"), "first")
    edited = datasets.edit(dataset, None, 2, {"reference": {"a": "B"}})
    after = experiments.create(project, None, "after", dataset, evaluators_used)
    outputs = [{"position": n, "output": text} for n, text in ((1, "a"), (edited.position, "b"), (3, "c"))]
    runs.create(after, None, "second", outputs)
    while scoring.work(seconds=5):
        pass
    first, second = Run.objects.select_related("experiment__dataset").order_by("pk")
    baseline, variant = (second, first) if later_first else (first, second)

    comparison = Comparison([baseline, variant], baseline)

    [compared] = comparison.figures.entries
    assert compared.paired.n == 3
    assert (compared.paired.wins, compared.paired.losses, compared.paired.ties) == (1, 1, 1)
    position = edited.position if later_first else 2
    [row] = examples.rows_at(comparison, [position])
    assert [row_of_run.output for row_of_run in row.rows] == ["b", "b"]
    assert comparison.aligner.edited == 1
    different = examples.examples(comparison, Question(comparison.evaluators[0], different=True), 50)
    assert [row.position for row in different.rows] == [3]


def test_a_warning_names_dataset_versions_that_differ(pair, project):
    dataset = pair[0].experiment.dataset
    datasets.append(dataset, None, [{"inputs": {"question": "q"}, "reference": {"answer": "Kiev"}}])
    newer = experiments.create(project, None, "newer", dataset, [])
    run = factories.scored_run(newer, ("Paris",), "third")
    reloaded = Run.objects.select_related("experiment__dataset").get(pk=pair[0].pk)

    [message] = [
        w["message"]
        for w in Comparison([reloaded, run], reloaded).warnings
        if w["code"] == "dataset_versions"
    ]

    assert "first v1; third v2" in message


# ---- clusters in words -------------------------------------------------------------------------------------


def test_the_sentence_names_clusters_and_how_they_widen_intervals(clustered):
    grouped, alone = (Comparison(clustered, clustered[0], cluster=name) for name in ("document", "none"))

    assert "Rows with the same document resemble each other" in grouped.sentence.text
    assert f"{grouped.figures.clusters.widening:.1f} times as wide" in answer_of(grouped)["sentence"]
    assert "resemble" not in alone.sentence.text


def test_below_ten_clusters_a_warning_is_due(clustered):
    answer = answer_of(Comparison(clustered, clustered[0], cluster="document"))

    assert [warning["code"] for warning in answer["warnings"]] == ["few_clusters"]
    assert answer["cluster"]["warnings"] == answer["warnings"]


# ---- export ------------------------------------------------------------------------------------------------


def test_no_cell_of_the_table_runs_in_a_spreadsheet(project):
    experiment = factories.experiment(project, "exact_match")
    compared_runs = [
        factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), name) for name in ("base", "=1+1")
    ]

    safe, unguarded = (
        export.as_csv(Comparison(compared_runs, compared_runs[0]), safe=safe).decode()
        for safe in (True, False)
    )

    assert "'=1+1" in safe
    assert "'=1+1" not in unguarded
    assert unguarded.splitlines()[0].startswith(
        "role,evaluator,variant,run,baseline,rank_first,rank_last,low,high"
    )


def test_the_table_names_the_versions_behind_each_score(pair):
    exact = next(e for e in experiments.versions_of(pair[0].experiment) if e.kind == "exact_match").evaluator
    evaluators.change(exact, None, config={"case_sensitive": False})
    runs.add_scorings(pair[1], [exact])
    while scoring.work(5):
        pass

    content = export.as_csv(Comparison(pair, pair[0])).decode()

    row = next(row for row in csv.DictReader(io.StringIO(content)) if row["evaluator"] == exact.name)
    assert (row["evaluator_version"], row["baseline_evaluator_version"]) == ("2", "1")
    dataset = pair[0].experiment.dataset
    assert (row["dataset"], row["dataset_version"]) == (dataset.name, str(pair[0].experiment.dataset_version))
