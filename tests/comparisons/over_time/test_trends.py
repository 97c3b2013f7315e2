"""All runs on a dataset over time, and the leaderboard."""

from collections import Counter

import numpy as np
import pytest
from django.db.models import signals
from django.utils import timezone

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.over_time import courses, trends
from evaluations.comparisons.over_time.leaderboards import SAMPLE, leaderboard
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.models import EvaluatorVersion, Experiment, Run
from evaluations.scoring import counted, in_mean, summaries
from evaluations.values import Status
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db
LOW, MIDDLE, HIGH = (np.linspace(start, start + 0.5, 60) for start in (0.1, 0.3, 0.45))


@pytest.fixture
def first(project) -> Experiment:
    return columns.experiment(project, 60, ["rouge_l"])


@pytest.fixture
def second(first) -> Experiment:
    return later(first)


def later(first: Experiment, name: str = "later") -> Experiment:
    """A later experiment on the same dataset with the same evaluator."""
    versions = experiments.versions_of(first)
    return experiments.create(
        first.project, None, name, first.dataset, [version.evaluator for version in versions]
    )


def evaluator_of(experiment):
    return experiments.versions_of(experiment)[0].evaluator


def board(experiment):
    return leaderboard(trends.trend(experiment.dataset))


def names(standings):
    return [standing.point.run.variant for standing in standings]


def test_the_points_are_the_means_of_all_runs_in_order_of_time(first, second):
    columns.run(first, "a", [LOW])
    columns.run(second, "b", [HIGH])

    trend = trends.trend(first.dataset)

    assert [(point.run.variant, point.n) for point in trend.points] == [("a", 60), ("b", 60)]
    assert [point.mean for point in trend.points] == pytest.approx([LOW.mean(), HIGH.mean()], abs=1e-12)


def test_a_complete_run_has_the_interval_of_its_page(first):
    run = columns.run(first, "a", [LOW])

    [point] = trends.trend(first.dataset).points

    figures = run.scorings.get().summary
    assert point.interval == summaries.interval(figures, (0.0, 1.0))


def test_an_output_that_is_missing_counts_as_worst(first):
    scores = HIGH.copy()
    scores[:10] = np.nan
    columns.run(first, "a", [scores])

    [point] = trends.trend(first.dataset).points

    filled = np.where(np.isnan(scores), 0.0, scores)
    assert (point.n, point.unanswered) == (60, 10)
    assert point.mean == pytest.approx(filled.mean(), abs=1e-12)


def figures_of(scores, counts):
    figures = {"n": len(scores), "mean": scores.mean(), "sd": scores.std(ddof=1), "counts": counts}
    return figures | {"pass_rate": None, "n_passed": 0, "n_judged": 0}


def test_the_spread_with_missing_outputs_is_that_of_the_filled_column():
    scores = np.array([0.4, 0.9, 0.7, 0.2])

    filled = in_mean.changed(figures_of(scores, {}), [(3, 0.0)])

    expected = np.append(scores, [0.0, 0.0, 0.0])
    assert filled["n"] == 7
    assert filled["mean"] == pytest.approx(expected.mean(), abs=1e-12)
    assert filled["sd"] == pytest.approx(expected.std(ddof=1), abs=1e-12)


def test_a_zero_that_is_stored_for_a_missing_reference_counts_nowhere():
    recipe = Recipe.compile("levenshtein_similarity", {}, {})
    stored = np.array([0.4, 0.9, 0.7, 0.0, 0.0])

    figures, unanswered = trends.corrected(figures_of(stored, {"missing_expected": 2}), recipe)

    assert unanswered == 0
    assert figures["n"] == 3
    assert figures["mean"] == pytest.approx(stored[:3].mean(), abs=1e-12)
    assert figures["sd"] == pytest.approx(stored[:3].std(ddof=1), abs=1e-12)


def test_the_mean_of_a_point_is_that_of_the_comparison(project):
    """Evaluators that store a 0 for a missing reference, or for a missing output."""
    experiment = factories.experiment(
        project, "levenshtein_similarity", "exact_match", references=("Paris", "Rome", None, "Oslo")
    )
    runs = [
        factories.scored_run(experiment, outputs, variant)
        for variant, outputs in (("a", ("Paris", None, "x", "Osl")), ("b", ("Pari", "Rome", None, "Oslo")))
    ]

    comparison = Comparison(runs, runs[0])
    for evaluator in comparison.evaluators:
        points = trends.trend(experiment.dataset, str(evaluator.pk)).points

        means = [point.mean for point in points]
        assert means == pytest.approx(comparison.figures.scored(evaluator).means, abs=1e-12)


def test_the_ranking_is_that_of_a_comparison_of_the_same_runs(first, second):
    a, b = columns.run(first, "a", [LOW]), columns.run(second, "b", [HIGH])

    standings = board(first).standings

    comparison = Comparison([a, b], a)
    assert [(p.point.run, p.rank, p.ranked.group) for p in standings] == [
        (ranked.side.run, ranked.rank, ranked.group) for ranked in comparison.figures.ranking
    ]
    assert names(standings) == ["b", "a"]


def test_variants_without_a_clear_difference_share_their_ranks(first):
    chance = np.random.default_rng(5)
    columns.run(first, "a", [LOW])
    columns.run(first, "b", [np.clip(HIGH + chance.normal(0, 0.2, 60), 0, 1)])
    columns.run(first, "c", [np.clip(HIGH + chance.normal(0, 0.2, 60), 0, 1)])

    ranks = {standing.point.run.variant: standing.rank for standing in board(first).standings}

    assert ranks == {"a": (3, 3), "b": (1, 2), "c": (1, 2)}


def test_the_latest_run_stands_for_its_variant(first, second):
    columns.run(first, "a", [LOW])
    later = columns.run(second, "a", [HIGH])

    [standing] = board(first).standings

    assert standing.point.run == later
    assert standing.experiments == 2


def test_runs_on_another_dataset_version_are_not_ranked(first):
    columns.run(first, "old", [LOW])
    datasets.append(first.dataset, None, [{"inputs": {"n": 61}, "reference": {"a": 61}}])
    newer = experiments.create(first.project, None, "newer", first.dataset, [evaluator_of(first)])
    columns.run(newer, "new", [np.append(HIGH, 0.5)])

    shown = board(first)

    assert names(shown.standings) == ["new"]
    assert [standing.point.run.variant for standing in shown.unranked] == ["old"]
    assert "dataset v1" in shown.unranked[0].reason


def test_runs_by_an_older_evaluator_version_are_not_ranked(first, second):
    columns.run(first, "old", [LOW])
    changed = evaluators.change(evaluator_of(first), None, config={"threshold": 0.5})
    experiments.link(second, experiments.newest([changed]))
    columns.run(second, "new", [HIGH])

    shown = board(first)

    assert shown.trend.versions == (1, 2)
    assert names(shown.standings) == ["new"]


def test_a_run_that_was_asked_a_sample_is_not_ranked(first):
    columns.run(first, "whole", [LOW])
    sampled = columns.run(first, "sampled", [HIGH])
    Run.objects.filter(pk=sampled.pk).update(asked_rows=b"\xff" * 8)

    shown = board(first)

    assert names(shown.standings) == ["whole"]
    assert [standing.reason for standing in shown.unranked] == [SAMPLE]


def test_a_mark_stands_where_the_evaluator_changed_and_says_how(first, second):
    columns.run(first, "old", [LOW])
    changed = evaluators.change(evaluator_of(first), None, config={"threshold": 0.5})
    experiments.link(second, experiments.newest([changed]))
    columns.run(second, "new", [HIGH])

    [mark] = trends.trend(first.dataset).marks

    assert (mark.what, mark.version) == ("evaluator", 2)
    assert "threshold" in mark.text


def test_versions_of_a_prompt_on_one_model_are_one_line(first):
    prompt = factories.prompt(first.project)
    for number, scores in enumerate((LOW, HIGH), 1):
        run = columns.run(first, f"solve v{number}", [scores])
        Run.objects.filter(pk=run.pk).update(
            prompt_version=prompt.versions.first(), about={"model": "small", "n": number}
        )

    lines = trends.trend(first.dataset).lines

    assert list(lines) == ["solve · small"]
    assert [point.label for point in lines["solve · small"]] == ["v1", "v1"]


def test_the_best_so_far_restarts_with_a_version(first, second):
    for scores in (MIDDLE, LOW, HIGH):
        columns.run(later(first, f"with {scores[0]}"), f"a{scores[0]}", [scores])
    changed = evaluators.change(evaluator_of(first), None, config={"threshold": 0.5})
    experiments.link(second, experiments.newest([changed]))
    columns.run(second, "new", [LOW])

    [before, after] = trends.trend(first.dataset).courses

    assert before == pytest.approx([MIDDLE.mean(), MIDDLE.mean(), HIGH.mean()])
    assert after == pytest.approx([LOW.mean()])


def test_runs_by_an_older_evaluator_are_outdated_if_they_use_the_same_examples(first, second):
    old = columns.run(first, "old", [LOW])
    changed = evaluators.change(evaluator_of(first), None, config={"threshold": 0.5})
    experiments.link(second, experiments.newest([changed]))
    columns.run(second, "new", [LOW])

    assert [point.run for point in trends.trend(first.dataset).outdated] == [old]


def test_the_front_page_draws_the_same_trend(first):
    columns.run(first, "a", [LOW])

    columns.run(first, "b", [HIGH])

    drawn, trend = courses.of_datasets([first.dataset])[first.dataset.pk], trends.trend(first.dataset)

    assert (drawn.courses, drawn.best, drawn.direction) == (trend.courses, trend.best, trend.direction)
    assert len(drawn.points) == len(trend.points) == 2


def test_the_front_page_makes_no_objects_of_the_runs_behind_a_trend(first):
    for variant in "abc":
        columns.run(first, variant, [LOW])
    senders = []

    def note(sender, **_):
        senders.append(sender)

    signals.post_init.connect(note)
    courses.of_datasets([first.dataset])
    signals.post_init.disconnect(note)

    assert Counter(senders) == {EvaluatorVersion: 1}


def test_trends_of_many_datasets_take_as_many_queries_as_of_one(project, django_assert_num_queries):
    several = [columns.experiment(project, 5, ["rouge_l"]) for _ in range(4)]
    for experiment in several:
        columns.run(experiment, "a", [[0.1, 0.2, 0.3, 0.4, 0.5]])

    with django_assert_num_queries(3):
        trends_by_dataset = courses.of_datasets([experiment.dataset for experiment in several])

    assert len(trends_by_dataset) == 4


def test_evaluator_versions_are_read_once_by_a_process(first, django_assert_num_queries):
    columns.run(first, "a", [LOW])
    courses.of_datasets([first.dataset])

    with django_assert_num_queries(2):
        courses.of_datasets([first.dataset])


def test_deleted_runs_and_experiments_are_left_out(first, second):
    columns.run(first, "kept", [LOW])
    deleted = columns.run(first, "gone", [LOW])
    Run.objects.filter(pk=deleted.pk).update(deleted_at=timezone.now())
    columns.run(second, "hidden", [HIGH])
    Experiment.objects.filter(pk=second.pk).update(deleted_at=timezone.now())

    assert [point.run.variant for point in trends.trend(first.dataset).points] == ["kept"]


def test_a_dataset_without_scores_has_no_trend(first):
    assert trends.trend(first.dataset) is None


def test_an_evaluator_that_scored_nothing_here_is_refused(first):
    columns.run(first, "a", [LOW])

    with pytest.raises(Invalid) as refused:
        trends.trend(first.dataset, "speed")

    assert refused.value.code == "unknown_evaluator"


def test_the_sentence_of_two_variants_is_about_the_better_one(first):
    columns.run(first, "good", [HIGH])
    columns.run(first, "bad", [LOW])

    assert board(first).sentence.startswith("good is better than bad on ")


def test_the_sentence_names_the_evaluators_by_which_the_best_is_worse(project):
    experiment = columns.experiment(project, 60, ["rouge_l", "exact_match"])
    columns.run(experiment, "a", [LOW, np.ones(60)])
    columns.run(experiment, "b", [MIDDLE, np.ones(60)])
    columns.run(experiment, "c", [HIGH, np.zeros(60)])

    said = "".join(words for _, words in board(experiment).parts)

    assert "disagree: c is worse than b on exact_match " in said


def test_the_sentence_says_what_takes_something_from_a_lead(project):
    """Whether it is confirmed among all comparisons on the dataset, and that one variant may not fit the evaluator."""
    references = [f"answer {number}" for number in range(60)]
    experiment = factories.experiment(project, references=references)
    factories.scored_run(experiment, [*references[:36], *["no"] * 24], "a")
    for tried in range(6):
        refused = ["no" if number % 7 == tried else "never" for number in range(59)]
        counted.count(factories.scored_run(experiment, [*refused, "answer 59"], "refusing"))
    counted.count(factories.scored_run(experiment, [*references[:44], *["no"] * 16], "best"))

    said = board(experiment).sentence

    assert "Not confirmed is the lead over a: this is comparison number 7 on this dataset" in said
    assert "Hardly an answer of refusing is right" in said


def test_a_variant_of_which_nothing_is_right_takes_part_in_no_verdict(project):
    """A launch whose answers the evaluator cannot fit made a clear winner one of several that are tied."""
    references = [f"answer {number}" for number in range(40)]
    experiment = factories.experiment(project, references=references)
    for name, right in (("a", 31), ("b", 24), ("c", 38)):
        factories.scored_run(experiment, [*references[:right], *["no"] * (40 - right)], name)
    before = board(experiment)
    factories.scored_run(later(experiment), ["Say: " + text for text in references], "wordy")

    after = board(experiment)

    assert after.sentence == before.sentence
    assert [(one.point.run.variant, one.reason) for one in after.unranked] == [
        ("wordy", "nothing is right in 40 answers, so exact match may not fit them")
    ]


def test_without_any_right_answer_all_are_ranked(project):
    experiment = factories.experiment(project, references=[*"abcd"] * 6)
    for name in ("x", "y"):
        factories.scored_run(experiment, [name] * 24, name)

    assert {*names(board(experiment).standings)} == {"x", "y"}


def test_a_leaderboard_counts_what_all_have_in_common_where_a_mean_is_of_more(project):
    experiment = columns.experiment(project, 12, ["value"])
    columns.run(experiment, "one", [np.arange(12.0)])
    assert board(experiment).in_common == 0
    status = [Status.SCORED] * 9 + [Status.NOT_SENT] * 3
    columns.run(experiment, "two", [np.where(np.arange(12) < 9, 1.0, np.nan)], {0: status})

    assert board(experiment).in_common == 9
