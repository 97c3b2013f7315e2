"""The comparisons ever made on a dataset."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import notes, overviews
from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.errors import Conflict
from evaluations.experiments import experiments, sent_scores
from evaluations.models import CountedComparison, Run
from evaluations.scoring import counted
from evaluations.statistics.online import allowed
from evaluations.statistics.wording import number, text
from tests import factories
from tests.comparisons import columns

pytestmark = pytest.mark.django_db


def made(experiment):
    return counted.numbers(experiment.dataset_id)


def test_each_new_set_of_outputs_is_counted_once_when_its_run_is_scored(project):
    experiment = factories.experiment(project)
    base = factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")
    again = factories.scored_run(experiment, ("Paris", "y", "z"), "v1 again")
    second = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v2")

    assert made(experiment) == {first.pk: 1, again.pk: 1, second.pk: 2}
    assert base.pk not in made(experiment)


def test_equal_outputs_count_once_on_all_versions_because_examples_keep_their_origin(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v1")
    moved = datasets.edit(experiment.dataset, None, 1, {"metadata": {"topic": "law"}})
    experiment.dataset.refresh_from_db()
    versions = [version.evaluator for version in experiments.versions_of(experiment)]
    later = experiments.create(project, None, "later", experiment.dataset, versions)
    factories.scored_run(later, (None, "y", "z", "x"), "base")
    again = factories.scored_run(later, (None, "Rome", "z", "Paris"), "v1")

    assert moved.position == 4  # The edited example stands at the end now.
    assert made(experiment)[again.pk] == made(experiment)[first.pk]


def test_deleting_runs_does_not_shorten_the_history(project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")
    Run.objects.filter(pk=first.pk).delete()
    second = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v2")

    assert made(experiment) == {second.pk: 2}


def test_a_completed_run_without_evaluators_is_counted_when_it_is_sent_scores(project):
    experiment = experiments.create(project, None, "bare", factories.dataset(project), [])
    sent = {}
    for variant, outputs in (("base", ("x", "y", "z")), ("v1", ("Paris", "y", "z"))):
        sent[variant] = factories.scored_run(experiment, outputs, variant)
        assert made(experiment) == {}
        scores = [{"position": n, "value": 0.5} for n in (1, 2, 3)]
        settings = {"direction": "maximize", "minimum": 0, "maximum": 1}
        for _ in range(2):
            sent_scores.send(sent[variant], None, "mine", settings, scores)

    assert made(experiment) == {sent["v1"].pk: 1}


def test_reading_counts_nothing(project):
    experiment = factories.experiment(project)
    base = factories.scored_run(experiment, ("x", "y", "z"), "base")
    variant = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")

    for _ in range(3):
        assert ComparisonSerializer(Comparison([base, variant], base)).data

    assert CountedComparison.objects.count() == 1


def after_others(project, number, lead, most=None):
    """The comparison with this number on a dataset, with a lead of `lead` under noise of 0.11."""
    experiment = columns.experiment(project, 60, ["rouge_l"])
    counted.declare(experiment.dataset, most)
    chance = np.random.default_rng(3)
    scores = chance.uniform(0.3, 0.6, 60)
    base = columns.run(experiment, "base", [scores])
    for earlier in range(number - 1):
        CountedComparison.objects.create(dataset=experiment.dataset, dataset_version=1, outputs=f"{earlier}")
    variant = columns.run(experiment, "variant", [scores + chance.normal(lead, 0.11, 60)])
    CountedComparison.objects.create(
        dataset=experiment.dataset, dataset_version=1, run=variant, outputs="new"
    )
    return Comparison([base, variant], base)


def first_two(project, minutes):
    """The first two variants of a dataset, the best of them added so many minutes after the other one had ended."""
    experiment = columns.experiment(project, 60, ["rouge_l"])
    chance, start = np.random.default_rng(3), timezone.now()
    scores = chance.uniform(0.3, 0.4, 60)
    runs = [
        columns.run(experiment, name, [scores + chance.normal(lead, 0.01, 60)])
        for name, lead in (("base", 0), ("v1", 0.1), ("v2", 0.4))
    ]
    for place, run in enumerate(runs):
        run.created_at = start + timedelta(minutes=minutes if place == 2 else 0, seconds=-2)
        run.finished_at = max(start, run.created_at)
        run.save()
        if place:
            CountedComparison.objects.create(
                dataset=experiment.dataset, dataset_version=1, run=run, outputs=run.variant
            )
    return Comparison(runs, runs[0])


@pytest.mark.parametrize(
    ("minutes", "said", "is_shown"),
    [
        (0, "one of 2 variants compared with the baseline at once.", False),
        (5, "comparison number 2 on this dataset.", True),
    ],
)
def test_a_confirmed_lead_says_so_and_what_was_compared_at_once(project, minutes, said, is_shown):
    """Beside the verdict, or below it where all variants were there before any result was known."""
    comparison = first_two(project, minutes)
    lines, found = f"Confirmed: clear enough although this is {said}", notes.of(comparison)

    assert f"This is {said}" in notes.remarks(comparison)
    assert (lines in [text(note.parts) for note in found.shown]) is is_shown
    assert (lines in [text(note.parts) for note in found.folded]) is not is_shown


def test_the_comparisons_of_a_dataset_are_numbered_by_their_time(project):
    """Such as those of the sample, which are dated after they are made."""
    experiment = factories.experiment(project)
    factories.scored_run(experiment, ("x", "y", "z"), "base")
    first = factories.scored_run(experiment, ("Paris", "y", "z"), "v1")
    second = factories.scored_run(experiment, ("Paris", "Rome", "z"), "v2")
    CountedComparison.objects.filter(run=second).update(created_at=timezone.now() - timedelta(days=1))

    assert made(experiment) == {second.pk: 1, first.pk: 2}


def test_the_twentieth_comparison_needs_more_to_be_confirmed(project):
    twentieth = after_others(project, 20, 0.04)
    [entry] = ComparisonSerializer(twentieth).data["entries"]

    assert entry["verdict"] == "better"
    assert entry["comparisons_made"] == 20
    assert entry["p_online"] > 0.05 >= entry["p_corrected"]
    assert (
        "comparison number 20 on this dataset. Among many variants, one can look better by luck, and this lead "
        f"is not clear enough to be confirmed: luck alone gives such a lead with probability "
        f"{entry['p_corrected']:.2g}; to be confirmed, it must be 0.00091 or less."
        in notes.remarks(twentieth)
    )


def test_a_list_says_of_a_lead_what_its_page_says(project):
    [overview] = overviews.load([after_others(project, 20, 0.04).sides.experiment])

    assert overview.entry.paired.verdict == "better"
    assert text(overview.comparison.sentence.brief) == "variant better, not confirmed"


def test_each_remark_on_a_verdict_stands_in_a_line_of_its_page(project):
    twentieth = after_others(project, 20, 0.04)
    told = notes.of(twentieth)
    lines = [text(note.parts) for note in (*told.shown, *told.folded)]

    assert told.shown[0].topic == "chance"
    assert len(told.shown) <= notes.MOST_SHOWN
    for sentence in notes.remarks(twentieth).split(". "):
        assert sentence.strip(".").removeprefix("But ") in " ".join(lines)
    assert " ".join(lines).count("comparison number 20") == 1


def test_a_quotation_has_the_sentence_what_goes_against_it_and_the_number_of_examples(project):
    twentieth = after_others(project, 20, 0.04)

    quoted = notes.quotation(twentieth)

    assert quoted.startswith(twentieth.sentence.text)
    assert "Not confirmed: " in quoted
    assert quoted.endswith(" examples.")


def test_a_declared_number_of_comparisons_gives_each_an_equal_part(project):
    tenth = after_others(project, 10, 0.05, most=10)
    [entry] = ComparisonSerializer(tenth).data["entries"]

    assert allowed(10) < entry["p_corrected"] <= 0.01
    assert entry["p_online"] == pytest.approx(entry["p_corrected"] * 5)
    assert (
        "number 10 on this dataset, of at most 10 declared. Among many variants, one can look better by luck; "
        "this lead is clear enough to be confirmed all the same." in notes.remarks(tenth)
    )


def test_no_comparison_beyond_the_declared_number_is_confirmed(project):
    fourth = after_others(project, 4, 0.15, most=3)
    [entry] = ComparisonSerializer(fourth).data["entries"]

    assert (entry["verdict"], entry["p_online"]) == ("better", 1.0)
    assert "of at most 3 declared. Among" in notes.remarks(fourth)
    assert "this lead is not clear enough to be confirmed." in notes.remarks(fourth)


def test_the_number_is_declared_before_the_first_comparison(project):
    experiment = factories.experiment(project)
    counted.declare(experiment.dataset, 20)
    counted.declare(experiment.dataset, 30)
    factories.scored_run(experiment, ("x", "y", "z"), "base")
    factories.scored_run(experiment, ("Paris", "y", "z"), "v1")

    with pytest.raises(Conflict, match="there was 1 already"):
        counted.declare(experiment.dataset, None)
    assert counted.declare(experiment.dataset, 30).most_comparisons == 30


def test_the_lead_of_the_best_of_several_is_shown_shrunken(project):
    experiment = columns.experiment(project, 60, ["rouge_l"])
    chance, base = np.random.default_rng(5), np.random.default_rng(3).uniform(0.3, 0.6, 60)
    sides = [columns.run(experiment, "base", [base])] + [
        columns.run(experiment, f"v{n}", [base + chance.normal(0, 0.1, 60)]) for n in range(5)
    ]
    compared = Comparison(sides, sides[0])
    best, *_ = data = ComparisonSerializer(compared).data["ranking"]
    against = next(
        row for row in data if row["run"] == (sides[0].pk if best["run"] != sides[0].pk else data[1]["run"])
    )

    expected = best["shrunken"] - against["shrunken"]
    assert 0 <= expected < best["mean"] - against["mean"]
    told = f"on new examples, expect {number(expected, signed=True)} rather than"
    assert told in notes.remarks(compared)


def test_a_late_comparison_draws_often_enough_to_be_confirmed(project):
    late = after_others(project, 150, 0.15)
    [entry] = ComparisonSerializer(late).data["entries"]

    assert entry["p_corrected"] > allowed(150)  # of the usual draws
    assert entry["p_online"] <= 0.05
    assert (
        "comparison number 150 on this dataset. Among many variants, one can look better by luck; this lead is "
        "clear enough to be confirmed" in notes.remarks(late)
    )
