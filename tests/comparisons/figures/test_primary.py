"""The choice of the primary evaluator, and its consequences."""

import numpy as np
import pytest
from django.utils import timezone

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import overviews
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Evaluator, Experiment
from evaluations.scoring import scoring
from tests import factories
from tests.comparisons import columns

answer_of = ComparisonSerializer().to_representation
pytestmark = pytest.mark.django_db
UP, DOWN = np.linspace(0.2, 0.9, 60), np.linspace(0.1, 0.8, 60)


@pytest.fixture
def experiment(project) -> Experiment:
    """The second variant is better by the first evaluator and worse by the second."""
    new_experiment = columns.experiment(project, 60, ["levenshtein_similarity", "rouge_l"])
    columns.run(new_experiment, "base", [DOWN, UP])
    columns.run(new_experiment, "other", [UP, DOWN])
    return new_experiment


def evaluators_of(experiment: Experiment) -> list[Evaluator]:
    return [version.evaluator for version in experiments.versions_of(experiment)]


def compared(experiment: Experiment, **options) -> Comparison:
    reloaded = Experiment.objects.select_related("dataset").get(pk=experiment.pk)
    runs = list(reloaded.runs.order_by("pk"))
    return Comparison(runs, runs[0], **options)


def test_the_first_evaluator_chosen_decides(experiment):
    first, second = evaluators_of(experiment)

    assert experiment.primary_id == first.pk
    assert [entry.role for entry in compared(experiment).figures.entries] == ["primary", "secondary"]
    assert compared(experiment).evaluators.every == [first, second]


def test_sentence_ranking_order_and_list_follow_the_primary_evaluator(experiment):
    second = evaluators_of(experiment)[1]
    before, listed = compared(experiment), overviews.load([experiment])[0].entry
    experiments.set_primary(experiment, second)
    after, overview = compared(experiment), overviews.load([experiment])[0]

    assert [ranked.side.run.variant for ranked in before.figures.ranking] == ["other", "base"]
    assert [ranked.side.run.variant for ranked in after.figures.ranking] == ["base", "other"]
    assert ("better", "better") in before.sentence.parts
    assert ("worse", "worse") in after.sentence.parts
    assert after.evaluators[0] == overview.primary == second
    assert (listed.paired.verdict, overview.entry.paired.verdict) == ("better", "worse")


def test_an_evaluator_that_the_experiment_does_not_use_cannot_decide(experiment, project):
    stranger = factories.evaluator(project, "exact_match")

    with pytest.raises(Invalid) as refusal:
        experiments.set_primary(experiment, stranger)
    assert refusal.value.code == "unknown_evaluator"


def test_a_deleted_primary_evaluator_is_replaced_with_a_warning(experiment):
    first, second = evaluators_of(experiment)
    Evaluator.objects.filter(pk=first.pk).update(deleted_at=timezone.now())

    comparison = compared(experiment)

    assert comparison.evaluators.primary == second
    assert "primary_replaced" in {warning["code"] for warning in comparison.warnings}


def test_an_evaluator_that_did_not_score_all_runs_is_replaced_with_a_warning(experiment):
    first, second = evaluators_of(experiment)
    experiment.runs.get(variant="other").scorings.filter(evaluator_version__evaluator=first).delete()

    comparison = compared(experiment)

    assert comparison.evaluators.primary == second
    assert {"primary_replaced", "not_scored"} <= {warning["code"] for warning in comparison.warnings}


def test_runs_that_lack_the_same_scores_are_named_in_one_warning(experiment):
    first, second = evaluators_of(experiment)
    columns.run(experiment, "third", [UP, DOWN])
    for run in experiment.runs.exclude(variant="base"):
        run.scorings.filter(evaluator_version__evaluator__in=[first, second]).delete()

    warnings = compared(experiment).warnings

    messages = [warning["message"] for warning in warnings if warning["code"] == "not_scored"]
    assert messages == [f"other and third lack scores of {first.name} and {second.name}."]


def test_a_warning_that_ends_in_the_name_of_a_question_has_one_mark_at_its_end(experiment):
    first, _ = evaluators_of(experiment)
    first.name = "Sendable?"
    first.save()
    experiment.runs.get(variant="other").scorings.filter(evaluator_version__evaluator=first).delete()

    messages = [
        warning["message"] for warning in compared(experiment).warnings if warning["code"] == "not_scored"
    ]

    assert messages == ["other lacks scores of Sendable?"]


def test_versions_of_one_evaluator_give_no_verdict_between_them(experiment):
    first = evaluators_of(experiment)[0]
    variant = experiment.runs.get(variant="other")
    variant.scorings.filter(evaluator_version__evaluator=first).delete()
    newer = evaluators.change(first, None, config={"case_sensitive": True}).versions.get(number=2)
    columns.store(variant, newer, UP, np.zeros(60, np.uint8))

    comparison = compared(experiment)

    assert [entry.paired.verdict for entry in comparison.figures.entries] == [None, "worse"]
    assert comparison.figures.ranking == []
    assert answer_of(comparison)["entries"][0]["interval"] is None


def test_within_its_margin_a_variant_is_equivalent(project):
    experiment = columns.experiment(project, 200, ["levenshtein_similarity"])
    base = np.linspace(0.2, 0.9, 200)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.tile([0.001, -0.001], 100)])
    [evaluator] = evaluators_of(experiment)

    assert compared(experiment).figures.entries[0].paired.equivalence is None
    experiments.set_margins(experiment, {evaluator.pk: 0.02})
    assert compared(experiment).figures.entries[0].paired.equivalence == "equivalent"
    experiments.set_margins(experiment, {evaluator.pk: None})
    assert compared(experiment).figures.entries[0].paired.equivalence is None


def test_the_same_data_under_other_ids_give_the_same_answer(project):
    chance = np.random.default_rng(3)
    scores = [[chance.random(50), chance.random(50) > 0.4] for _ in range(4)]
    answers = []
    for _ in range(2):
        experiment = columns.experiment(project, 50, ["levenshtein_similarity", "exact_match"])
        for name, pair_of_scores in zip("abcd", scores, strict=True):
            columns.run(experiment, name, pair_of_scores)
        answers.append(figures(answer_of(compared(experiment))))

    assert answers[0] == answers[1]


def figures(answer: dict) -> list[dict]:
    """All numbers and words, without ids and the names of evaluators."""
    left_out = ("run", "runs", "evaluator")
    rows = answer["entries"] + answer["ranking"] + answer["measures"]
    return [{name: value for name, value in row.items() if name not in left_out} for row in rows]


def test_a_ranking_is_over_the_examples_that_all_variants_have(project):
    experiment = columns.experiment(project, 40, ["levenshtein_similarity"])
    low, high = np.full(40, 0.3), np.full(40, 0.6)
    for name, scores in (("low", low), ("high", high), ("middle", (low + high) / 2)):
        columns.run(experiment, name, [scores + np.linspace(0, 0.1, 40)])

    comparison = compared(experiment)

    assert [ranked.side.run.variant for ranked in comparison.figures.ranking] == ["high", "middle", "low"]
    assert [ranked.rank for ranked in comparison.figures.ranking] == [(1, 1), (2, 2), (3, 3)]
    assert comparison.figures.ranking[0].lead.difference == pytest.approx(0.15)
    assert comparison.figures.ranking[2].lead is None


# ---- clusters ----------------------------------------------------------------------------------------------


@pytest.fixture
def documents(project) -> Experiment:
    """Twenty documents of six questions each; a variant gains or loses on whole documents."""
    metadata = [{"document": n // 6} for n in range(120)]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 120)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.repeat(chance.normal(0.05, 0.1, 20), 6)])
    return experiment


def test_examples_that_belong_together_are_found_and_announced(documents):
    clustered, alone = compared(documents), compared(documents, cluster="none")

    assert (clustered.figures.clusters.column, clustered.figures.clusters.count) == ("document", 20)
    assert answer_of(clustered)["cluster"]["column"] == "document"
    assert answer_of(alone)["cluster"] is None
    wide, narrow = (comparison.figures.entries[0].paired.interval for comparison in (clustered, alone))
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])


@pytest.fixture
def halves(project) -> Experiment:
    """As `documents`, but in the last ten documents every question gains on its own."""
    metadata = [{"document": n // 6, "half": n // 60, "place": n % 6} for n in range(120)]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(8)
    base, alone = chance.uniform(0.3, 0.6, 120), chance.normal(0.05, 0.1, 60)
    columns.run(experiment, "base", [base])
    together = np.repeat(chance.normal(0.05, 0.2, 10), 6)
    columns.run(experiment, "other", [base + np.concatenate([together, alone])])
    return experiment


def test_a_filtered_comparison_has_the_groups_of_all_examples(halves):
    """Otherwise a subset called worse on the whole page could have no verdict on its own page."""
    whole, half = compared(halves), compared(halves, example_filter=ExampleFilter((("half", "1"),)))

    assert (whole.figures.clusters.column, whole.figures.clusters.count) == ("document", 20)
    assert (half.figures.clusters.column, half.figures.clusters.count) == ("document", 10)
    assert half.figures.clusters.p == whole.figures.clusters.p


def test_groups_of_one_example_each_change_nothing(halves):
    single = ExampleFilter((("place", "1"),))

    filtered, named = (
        compared(halves, example_filter=single),
        compared(halves, example_filter=single, cluster="document"),
    )

    assert (filtered.figures.clusters, named.figures.clusters) == (None, None)
    assert (
        filtered.figures.entries
        == named.figures.entries
        == compared(halves, example_filter=single, cluster="none").figures.entries
    )


@pytest.mark.parametrize(("name", "detected"), [("price", None), ("section_id", "section_id")])
@pytest.mark.parametrize("as_text", [False, True])
def test_numbers_with_fractions_group_nothing_unless_somebody_says_so(project, name, detected, as_text):
    values = [n // 6 + 0.5 for n in range(120)]
    metadata = [{name: str(value) if as_text else value} for value in values]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 120)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.repeat(chance.normal(0.05, 0.1, 20), 6)])

    used, declared = (
        compared(experiment).figures.clusters,
        compared(experiment, cluster=name).figures.clusters,
    )

    assert (used and used.column) == detected
    assert (declared.column, declared.count) == (name, 20)


def test_equal_inputs_belong_together(project):
    rows = [{"inputs": {"q": f"several\nlines {n // 4}"}, "reference": {"a": n}} for n in range(80)]
    dataset = datasets.create(project, None, "repeated questions", rows)
    evaluator = factories.evaluator(project, "levenshtein_similarity")
    experiment = experiments.create(project, None, "repeated", dataset, [evaluator])
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 80)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.repeat(chance.normal(0.05, 0.1, 20), 4)])

    assert compared(experiment).figures.clusters.column == "inputs"


def test_below_ten_clusters_a_warning_is_due(project):
    experiment = columns.experiment(
        project, 40, ["levenshtein_similarity"], [{"group": n // 10} for n in range(40)]
    )
    columns.run(experiment, "base", [np.linspace(0.1, 0.9, 40)])
    columns.run(experiment, "other", [np.linspace(0.1, 0.9, 40)[::-1]])

    assert "few_clusters" in {warning["code"] for warning in compared(experiment, cluster="group").warnings}
    assert "few_clusters" not in {warning["code"] for warning in compared(experiment).warnings}


@pytest.mark.parametrize(("name", "detected"), [("other place", None), ("place", "place"), ("seconds", None)])
def test_a_column_about_the_outputs_of_one_variant_groups_nothing(project, name, detected):
    metadata = [{name: n // 6} for n in range(120)]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 120)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.repeat(chance.normal(0.05, 0.1, 20), 6)])

    used = compared(experiment).figures.clusters

    assert (used and used.column) == detected


def test_remarks_group_nothing(project):
    metadata = [{"comment": f"c {n // 6}"} for n in range(120)]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 120)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.repeat(chance.normal(0.05, 0.1, 20), 6)])

    assert compared(experiment).figures.clusters is None


def test_one_repeated_value_beside_single_ones_groups_nothing(project):
    metadata = [{"hint": "none" if n < 60 else f"h {n}"} for n in range(120)]
    experiment = columns.experiment(project, 120, ["levenshtein_similarity"], metadata)
    chance = np.random.default_rng(5)
    base = chance.uniform(0.3, 0.6, 120)
    columns.run(experiment, "base", [base])
    columns.run(experiment, "other", [base + np.where(np.arange(120) < 60, 0.2, chance.normal(0, 0.1, 120))])

    assert compared(experiment).figures.clusters is None


def test_scores_that_come_between_two_readings_break_nothing(project):
    experiment = factories.experiment(project, references=[f"city {n}" for n in range(12)])
    for name in ("base", "other"):
        factories.scored_run(experiment, [f"city {n}" for n in range(12)], name)
    for name in ("late", "later"):
        factories.run(experiment, ["nowhere"] * 12, name)
    comparison = compared(experiment)
    families = comparison.figures.families
    assert len(families.ranks.ranked) == 2

    while scoring.work(seconds=10):
        pass
    families.read.forget()  # as when another evaluator is read in between

    pairs = families.primary.ranked_pairs
    assert sorted(pairs.ranking.order) == list(range(pairs.variants))
    assert comparison.sentence.text
