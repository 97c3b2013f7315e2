"""A missing output is never an advantage, and no variant is charged for an error of others."""

import numpy as np
import pytest
from django.core.cache import cache as shared_cache

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures import cache, families
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.leaderboards import leaderboard
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.models import Output, Run
from evaluations.scoring import column_cache, scoring
from evaluations.statistics.inference import counted_pairs
from evaluations.values import Status
from tests import factories
from tests.comparisons import columns

answer_of = ComparisonSerializer().to_representation
pytestmark = pytest.mark.django_db
NAN = float("nan")


def verdicts(baseline: Run, *variants: Run, **options) -> list[str | None]:
    return [
        entry.paired.verdict
        for entry in Comparison([baseline, *variants], baseline, **options).figures.entries
    ]


# ---- missing outputs -----------------------------------------------------------------------------------------------


def test_answering_easy_examples_only_is_never_better(project):
    experiment = columns.experiment(
        project, 300, ["exact_match", "levenshtein_similarity", "levenshtein_distance"]
    )
    is_right = np.arange(300) < 171
    base = columns.run(experiment, "base", [is_right * 1.0, is_right * 0.9, np.where(is_right, 2.0, 20.0)])
    silent = columns.run(
        experiment,
        "silent",
        [np.where(is_right, 1.0, NAN), np.where(is_right, 1.0, NAN), np.where(is_right, 0.0, NAN)],
    )

    assert "better" in verdicts(base, silent, missing="exclude")
    assert verdicts(base, silent)[0] == "cannot_tell"
    # The same answers, with a wrong text for the rest, would be no better than that.
    assert Comparison([base, silent], base).figures.entries[0].paired.imputed == 129


def test_leaving_out_the_hardest_is_as_bad_as_failing_them(project):
    experiment = columns.experiment(project, 400, ["exact_match", "levenshtein_similarity"])
    chance = np.random.default_rng(1)
    score = chance.uniform(0.2, 1.0, 400)
    hard = np.argsort(score)[:62]
    base = columns.run(experiment, "base", [score > 0.3, score])
    left_out, failing_score = score.copy(), score.copy()
    left_out[hard], failing_score[hard] = NAN, 0.0
    silent = columns.run(experiment, "silent", [np.where(np.isnan(left_out), NAN, score > 0.3), left_out])
    failing = columns.run(experiment, "failing", [(score > 0.3) & (failing_score > 0), failing_score])

    assert verdicts(base, silent) == verdicts(base, failing)
    assert verdicts(base, silent)[0] == "worse"


def test_null_an_absent_row_and_an_error_count_the_same(project):
    references = ["Paris", "Rome", "Oslo", "Bern", "Riga", "Kiev", "Lima", "Bonn"]
    experiment = factories.experiment(project, "exact_match", "levenshtein_similarity", references=references)
    base = factories.scored_run(experiment, references, "base")
    answers = ["Paris", None, "Oslo", None, "Riga", "Kiev", None, "Bonn"]
    absent = factories.scored_run(experiment, answers, "absent")
    null = new_run(experiment, "null", [{"output": answer} for answer in answers])
    failed = new_run(
        experiment,
        "failed",
        [{"output": answer or "half an answ", "error": None if answer else "timeout"} for answer in answers],
    )

    tables = [entries(base, variant) for variant in (absent, null, failed)]

    assert tables[0][0]["imputed"] == 3
    assert tables[0] == tables[1] == tables[2]


def new_run(experiment, variant: str, outputs: list[dict]) -> Run:
    rows = [{"position": n} | output for n, output in enumerate(outputs, 1)]
    run = runs.create(experiment, None, variant, rows)
    while scoring.work(seconds=10):
        pass
    run.refresh_from_db()
    return run


def entries(baseline: Run, variant: Run) -> list[dict]:
    answer = answer_of(Comparison([baseline, variant], baseline))
    measures = [entry for entry in answer["measures"] if entry["run"] == variant.pk]
    rows = answer["entries"] + measures
    names = ("run", "runs", "variant", "comparisons_made", "p_online")
    return [{name: v for name, v in entry.items() if name not in names} for entry in rows]


def test_an_empty_text_is_an_output(project):
    experiment = factories.experiment(project, "exact_match", references=["Paris", "Rome"])
    base = factories.scored_run(experiment, ["Paris", "Rome"], "base")
    empty_text_run = factories.scored_run(experiment, ["Paris", ""], "empty")

    comparison = Comparison([base, empty_text_run], base)

    assert comparison.figures.entries[0].paired.imputed == 0
    assert comparison.figures.measures.answered == [2, 2]


def test_without_a_worst_score_silence_counts_as_the_worst_answer(project):
    experiment = columns.experiment(project, 20, ["levenshtein_distance"])
    distances = np.arange(20.0)
    base = columns.run(experiment, "base", [distances])
    silent = columns.run(experiment, "silent", [np.where(np.arange(20) == 0, NAN, distances)])

    comparison = Comparison([base, silent], base)

    # The 95 % point of 0 … 19 and 1 … 19, for the one missing distance.
    worst = np.quantile([*distances, *distances[1:]], 0.95)
    assert comparison.figures.entries[0].paired.difference == pytest.approx(worst / 20)
    assert not comparison.figures.scored(comparison.evaluators.primary).is_bound
    assert "as at least as bad as the worst answer" in comparison.warnings[0]["message"]


@pytest.mark.parametrize(
    ("kind", "reference", "wrong", "worst"),
    [
        ("levenshtein_distance", "Paris", "Pariss", 5),
        ("json_distance", '{"a": 1, "b": [2, 3]}', '{"a": 2, "b": [2, 3]}', 3),
    ],
)
def test_a_silent_variant_never_beats_one_that_answers(project, kind, reference, wrong, worst):
    experiment = factories.experiment(project, kind, references=[reference] * 60)
    full = factories.scored_run(experiment, [reference] * 58 + [wrong] * 2, "full")
    mute = factories.scored_run(experiment, [reference] * 2 + [None] * 58, "mute")
    silent = factories.scored_run(experiment, [reference] * 1 + [None] * 59, "silent")

    comparison = Comparison([full, mute, silent], full)

    assert [entry.paired.verdict for entry in comparison.figures.entries] == ["worse", "worse"]
    assert comparison.figures.entries[0].paired.mean == pytest.approx(worst * 58 / 60)
    board = leaderboard(trends.trend(experiment.dataset))
    assert [standing.point.run.variant for standing in board.standings] == ["full", "mute", "silent"]
    assert [standing.point.unanswered for standing in board.standings] == [0, 58, 59]
    assert board.standings[1].point.mean == pytest.approx(worst * 58 / 60)


def test_silence_is_no_better_than_a_worse_answer_of_another_variant(project):
    experiment = columns.experiment(project, 20, ["levenshtein_distance"])
    distances = np.arange(20.0)
    wordy = columns.run(experiment, "wordy", [np.where(np.arange(20) == 3, 500.0, distances)])
    silent = columns.run(experiment, "silent", [np.where(np.arange(20) == 3, NAN, distances)])

    assert Comparison([wordy, silent], wordy).figures.entries[0].paired.difference == 0


def test_columns_that_the_cache_cannot_hold_give_the_same_numbers(project, monkeypatch):
    experiment = columns.experiment(project, 5_000, ["exact_match", "levenshtein_similarity"])
    chance = np.random.default_rng(3)
    full, holes, failed = (chance.random((2, 5_000)).round() for _ in range(3))
    holes[:, 7] = NAN
    compared = [
        columns.run(experiment, name, scores)
        for name, scores in (("full", full), ("holes", holes), ("failed", failed))
    ]
    Output.objects.create(run=compared[2], position=9, text="half an answer", error="timeout")
    cached = answer_of(Comparison(compared, compared[0]))

    for unscored_positions in (cache.process_cache, column_cache.process_cache, shared_cache):
        unscored_positions.clear()
    monkeypatch.setattr(column_cache, "MOST_BYTES", 0)

    assert answer_of(Comparison(compared, compared[0])) == cached
    assert [entry["imputed"] for entry in cached["entries"]] == [1, 1, 1, 1]


@pytest.mark.parametrize("conditions", [(), (("part", "odd"),)])
def test_large_columns_of_a_dataset_with_removed_examples_give_the_same_numbers(
    project, monkeypatch, conditions
):
    metadata = [{"part": ("even", "odd")[n % 2]} for n in range(60)]
    dataset = columns.experiment(project, 60, [], metadata).dataset
    for position in (3, 60):
        datasets.remove(dataset, None, position)
    judge = evaluators.create(project, None, "judge", "levenshtein_similarity", {}, {})
    experiment = experiments.create(project, None, "after", dataset, [judge])
    scores, absent = np.random.default_rng(3).random((2, 60)), np.zeros(60)
    scores[:, [2, 59]], absent[[2, 59]] = NAN, Status.ABSENT
    compared = [
        columns.run(experiment, str(n), [run_scores], {0: absent}) for n, run_scores in enumerate(scores)
    ]
    cached = answer_of(Comparison(compared, compared[0], example_filter=ExampleFilter(conditions)))

    for unscored_positions in (cache.process_cache, column_cache.process_cache, shared_cache):
        unscored_positions.clear()
    monkeypatch.setattr(column_cache, "MOST_BYTES", 0)

    assert answer_of(Comparison(compared, compared[0], example_filter=ExampleFilter(conditions))) == cached
    assert [entry["n"] for entry in cached["entries"]] == [29 if conditions else 58]


def test_repeats_are_filled_one_by_one_and_then_averaged(project):
    experiment = columns.experiment(project, 2, ["levenshtein_similarity"])
    base = columns.run(experiment, "base", [[1.0, 1.0]])
    repeats = [columns.run(experiment, "terse", [[0.5, 0.5]]), columns.run(experiment, "terse", [[NAN, 0.5]])]

    [worst] = Comparison([base, *repeats], base, repeats=True).figures.entries
    [excluded] = Comparison([base, *repeats], base, repeats=True, missing="exclude").figures.entries

    assert (worst.paired.mean, worst.paired.imputed) == ((0.25 + 0.5) / 2, 1)
    assert excluded.paired.mean == 0.5


def test_a_variant_with_missing_outputs_gets_a_warning(project):
    experiment = columns.experiment(project, 40, ["exact_match"])
    base = columns.run(experiment, "base", [np.arange(40) < 30])
    silent = columns.run(experiment, "silent", [np.where(np.arange(40) < 30, 1.0, NAN)])

    comparison = Comparison([base, silent], base)

    assert [warning["code"] for warning in comparison.warnings] == ["missing_outputs"]
    assert answer_of(comparison)["answers"] == [
        {"run": base.pk, "answered": 40, "of": 40},
        {"run": silent.pk, "answered": 30, "of": 40},
    ]
    answers = next(row for row in answer_of(comparison)["measures"] if row["run"] == silent.pk)
    assert (answers["measure"], answers["verdict"]) == ("answers", "worse")


def test_the_warning_of_missing_outputs_counts_the_examples_of_the_compared_version(project):
    experiment = factories.experiment(project)
    for outputs in (("a", "b", "c"), ("Paris",)):
        factories.scored_run(experiment, outputs, outputs[0])
    datasets.append(
        experiment.dataset, None, [{"inputs": {"question": "q4"}, "reference": {"answer": "Bern"}}]
    )

    runs = list(Run.objects.order_by("pk"))
    [warning] = Comparison(runs, runs[0]).warnings
    assert warning["message"].startswith("Of 3 examples, some are unanswered (Paris: 2)")


def test_the_warning_of_missing_outputs_leaves_out_examples_without_a_reference(project):
    """An unanswered example without a reference is not among the unanswered ones that count as worst."""
    experiment = factories.experiment(project, references=("Paris", "Rome", None))
    runs = [
        factories.scored_run(experiment, outputs, outputs[0]) for outputs in (("a", "b", "c"), ("Paris",))
    ]

    message = Comparison(runs, runs[0]).warnings[0]["message"]
    assert message.startswith("Of 2 examples that count, some are unanswered (Paris: 1)")


def test_a_warning_says_where_the_treatment_of_missing_outputs_decides(project):
    experiment = columns.experiment(project, 100, ["exact_match"])
    base = columns.run(experiment, "base", [np.arange(100) % 2])
    silent = columns.run(experiment, "silent", [np.where(np.arange(100) < 60, 1.0, NAN)])
    steady = columns.run(experiment, "steady", [np.arange(100) % 2])

    assert Comparison([base, silent], base).figures.depends_on_missing
    assert not Comparison([base, steady], base).figures.depends_on_missing


def test_ranks_and_figures_of_the_other_treatment_count_the_pairs_once(project, monkeypatch):
    experiment = columns.experiment(project, 100, ["exact_match"])
    base = columns.run(experiment, "base", [np.arange(100) % 2])
    silent = columns.run(experiment, "silent", [np.where(np.arange(100) < 60, 1.0, NAN)])
    counted = []
    monkeypatch.setattr(families, "counted_pairs", lambda *of: counted.append(of) or counted_pairs(*of))

    figures = Comparison([base, silent], base).figures
    assert figures.depends_on_missing
    other = figures.other_missing.primary_family

    assert len(counted) == 2
    assert other == Comparison([base, silent], base, missing="exclude").figures.primary_family


# ---- no verdict --------------------------------------------------------------------------------------------


def test_without_any_reference_there_is_no_verdict(project):
    experiment = factories.experiment(project, "levenshtein_similarity", "exact_match", references=[None] * 8)
    base = factories.scored_run(experiment, ["a"] * 8, "base")
    variant = factories.scored_run(experiment, ["b"] * 8, "other")

    comparison = Comparison([base, variant], base)

    assert verdicts(base, variant) == [None, None]
    assert comparison.figures.ranking == []
    assert "reference" in comparison.sentence.text
    assert all("reference" in entry.paired.reason for entry in comparison.figures.entries)


def test_outputs_that_no_evaluator_can_score_are_not_called_missing(project):
    experiment = columns.experiment(project, 8, ["rouge_l"])
    errors = {0: [Status.ERROR] * 8}
    base, variant = (columns.run(experiment, name, [[np.nan] * 8], errors) for name in ("base", "other"))

    comparison = Comparison([base, variant], base)

    assert comparison.figures.ranking == []
    assert "no variant has an output with a score" in comparison.sentence.text


def test_missing_references_are_left_out_on_both_sides(project):
    references = ["Paris", None, "Oslo", None]
    experiment = factories.experiment(project, "levenshtein_similarity", references=references)
    base = factories.scored_run(experiment, ["Paris", "x", "Oslo", "y"], "base")
    variant = factories.scored_run(experiment, ["Paris", None, "Osl", "y"], "other")

    [entry] = Comparison([base, variant], base).figures.entries

    # Not the zeros that the evaluator stores for them.
    assert (entry.paired.n, entry.paired.baseline_mean, entry.paired.mean) == (2, 1.0, (1 + 0.75) / 2)
    assert "missing_references" in {warning["code"] for warning in Comparison([base, variant], base).warnings}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_variant_without_any_output_is_neither_better_nor_worse(project, order):
    experiment = factories.experiment(project, "exact_match", "levenshtein_similarity", references=["a"] * 9)
    runs_compared = [
        factories.scored_run(experiment, ["a"] * 9, "speaks"),
        factories.scored_run(experiment, [None] * 9, "silent"),
    ]
    baseline, variant = (runs_compared[index] for index in order)

    comparison = Comparison([baseline, variant], baseline)

    assert verdicts(baseline, variant) == [None, None]
    assert "silent" in comparison.sentence.text
    [told] = [warning["message"] for warning in comparison.warnings if warning["code"] == "not_ranked"]
    assert told.endswith("silent answered no example, the worst possible result.")


@pytest.fixture
def unreadable(project):
    """A run whose answers are labels, and two in which no label can be read, though one of them fails an example."""
    read = {"read": [{"step": "choice", "labels": ["a", "b"]}]}
    mapping = {"actual": {"path": "$.output"} | read, "expected": {"path": "$.expected"}}
    evaluator = evaluators.create(project, None, "letter", "label", {}, mapping)
    experiment = experiments.create(
        project, None, "letters", factories.dataset(project, ["a"] * 20), [evaluator]
    )
    answers = {"clear": ["a"] * 20, "vague": ["a or b"] * 20, "vaguer": [None, *["a or b"] * 19]}
    return [factories.scored_run(experiment, texts, variant) for variant, texts in answers.items()]


@pytest.mark.parametrize(("order", "verdict"), [((0, 1), "worse"), ((1, 0), "better")])
def test_a_variant_of_which_no_answer_can_be_read_counts_as_worst(unreadable, order, verdict):
    baseline, variant = (unreadable[index] for index in order)

    comparison = Comparison([baseline, variant], baseline)

    [entry] = comparison.figures.entries
    assert (entry.paired.verdict, abs(entry.paired.difference), entry.paired.n) == (verdict, 1.0, 20)
    assert verdicts(baseline, variant, missing="exclude") == [None]
    assert "No single label was found in 20 of 20 answers of vague." in notes.remarks(comparison)


def test_without_any_readable_answer_there_is_no_verdict_but_the_worst_mean(unreadable):
    comparison = Comparison(unreadable[1:], unreadable[1])

    [entry] = comparison.figures.entries
    assert (entry.paired.verdict, entry.paired.mean, entry.paired.baseline_mean) == (None, 0.0, 0.0)
    assert (entry.leftover.missing, entry.paired.n) == (0, 20)
    assert "No verdict on letter: no single label was found in any answer." in comparison.sentence.text


def test_a_variant_that_is_still_being_scored_is_named_in_one_warning(project):
    experiment = factories.experiment(project, "exact_match", references=["a"] * 9)
    done = factories.scored_run(experiment, ["a"] * 9, "done")
    going = factories.run(experiment, ["a"] * 9, "going")

    codes = {warning["code"] for warning in Comparison([done, going], done).warnings}

    assert "unfinished" in codes
    assert "not_ranked" not in codes


def test_errors_of_the_evaluator_are_left_out_of_all_ranked_variants(project):
    experiment = columns.experiment(project, 4, ["levenshtein_similarity"])
    base = columns.run(experiment, "base", [[1.0, 0.5, 0.0, 0.5]])
    failed = columns.run(experiment, "failed", [[NAN, 0.5, 0.5, 0.5]], {0: [Status.ERROR, 0, 0, 0]})
    third = columns.run(experiment, "third", [[0.0, 0.5, 0.5, 0.5]])

    comparison = Comparison([base, failed, third], base)

    assert {entry.paired.n for entry in comparison.figures.entries} == {3}
    assert [entry.leftover.not_common for entry in comparison.figures.entries] == [0, 1]
    assert [entry.leftover.only_baseline for entry in comparison.figures.entries] == [1, 0]
    assert "evaluator_errors" in {warning["code"] for warning in comparison.warnings}


def test_examples_without_a_pair_are_counted_by_their_cause(project):
    experiment = columns.experiment(project, 4, ["levenshtein_similarity"])
    unanswered = Status.MISSING_ACTUAL
    base = columns.run(
        experiment, "base", [[NAN, NAN, NAN, 1.0]], {0: [unanswered, Status.ERROR, unanswered, 0]}
    )
    variant = columns.run(experiment, "variant", [[NAN, NAN, 0.5, 1.0]])

    [entry] = Comparison([base, variant], base, missing="exclude").figures.entries

    assert (entry.leftover.missing, entry.leftover.error, entry.leftover.only_run) == (1, 1, 1)


# ---- nothing missing ---------------------------------------------------------------------------------------


def test_with_nothing_missing_every_mean_is_the_same(project):
    chance = np.random.default_rng(7)
    a, b = chance.random(997), chance.random(997)
    experiment = columns.experiment(project, 997, ["levenshtein_similarity", "rouge_l"])
    base, variant = columns.run(experiment, "a", [a, b]), columns.run(experiment, "b", [b, a])

    for missing in ("worst", "exclude"):
        first, second = Comparison([base, variant], base, missing=missing).figures.entries
        means = (first.paired.mean, first.paired.baseline_mean)
        assert means == pytest.approx((b.mean(), a.mean()), rel=1e-13)
        assert first.paired.difference == pytest.approx((b - a).mean(), rel=1e-13)
        assert second.paired.difference == pytest.approx((a - b).mean(), rel=1e-13)


def test_a_part_that_happened_to_be_stored_gives_no_verdict(project, settings):
    """Texts with a stored vector are scored without money: answers equal to their reference first of all."""
    factories.connection(project, settings)
    experiment = columns.experiment(project, 60, ["exact_match", "semantic_similarity"])
    paid = columns.run(experiment, "paid", [np.zeros(60), np.full(60, 0.1)])
    not_sent = np.where(np.arange(60) < 30, Status.SCORED, Status.NOT_SENT)
    scores = np.where(np.arange(60) < 30, 1.0, np.nan)
    waiting = columns.run(experiment, "waiting", [np.ones(60), scores], {1: not_sent})

    certain, partly = Comparison([paid, waiting], paid).figures.entries

    assert certain.paired.verdict == "better"
    assert (partly.paired.verdict, partly.paired.reason) == (
        None,
        "Some answers wait for money; those with a score are no random part.",
    )


def test_a_variant_whose_answers_wait_for_a_judge_is_not_compared_by_its_unanswered_ones(project):
    """Nobody paid for its scores: the few that it left unanswered say nothing of how the judge would read the rest."""
    experiment = columns.experiment(project, 30, ["exact_match"])
    read = columns.run(experiment, "read", [np.ones(30)])
    status = np.full(30, Status.NOT_SENT)
    status[:10] = Status.MISSING_ACTUAL
    waits = columns.run(experiment, "waits", [np.full(30, np.nan)], {0: status})
    for position in range(11, 31):
        Output.objects.create(run=waits, position=position, text="An answer")

    compared = Comparison([read, waits], read)

    [entry] = compared.figures.entries_of(compared.evaluators.primary)
    assert (entry.paired.n, entry.paired.verdict) == (0, None)
