"""Means of secondary evaluators that scored a part of the answers, which may be another part for each variant."""

import re

import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, sent_scores
from evaluations.models import Experiment
from evaluations.scoring import scoring
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project) -> Experiment:
    """Three variants: scores were sent for none, one and two of the three answers."""
    experiment = factories.experiment(project)
    settings = {"direction": "maximize", "minimum": 0, "maximum": 1}
    for variant, values in {"old": (), "new": (1.0,), "newer": (0.5, 0.0)}.items():
        run = factories.scored_run(experiment, variant=variant)
        if values:
            scores = [{"position": n, "value": value} for n, value in enumerate(values, 1)]
            sent_scores.send(run, None, "helpful", settings, scores)
    return experiment


def cells(alices, experiment: Experiment, baseline: str):
    runs = sorted(experiment.runs.all(), key=lambda run: run.variant != baseline)
    ids = ",".join(str(run.pk) for run in runs)
    rows = alices.get(f"/compare/?runs={ids}").context["ranking"].rows
    return {row.name: (row.secondary[0].mean, row.secondary[0].n, row.secondary[0].is_best) for row in rows}


def test_a_mean_over_a_part_of_the_examples_says_how_many_and_is_never_called_best(alices, experiment):
    assert cells(alices, experiment, "old") == {
        "old": (None, None, False),
        "new": (1.0, 1, False),
        "newer": (0.25, 2, False),
    }


@pytest.mark.parametrize(("missing", "found"), [("worst", (0.5, None)), ("exclude", (0.75, 2))])
def test_an_unanswered_example_is_one_of_them_where_it_counts_as_worst(alices, project, missing, found):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ("a", "b", None), variant) for variant in ("1", "2", "3")]
    scores = [{"position": 1, "value": 1.0}, {"position": 2, "value": 0.5}]
    sent_scores.send(runs[2], None, "helpful", {"direction": "maximize", "minimum": 0, "maximum": 1}, scores)

    ids = ",".join(str(run.pk) for run in runs)
    rows = alices.get(f"/compare/?runs={ids}&missing={missing}").context["ranking"].rows
    assert [(row.secondary[0].mean, row.secondary[0].n) for row in rows if row.name == "3"] == [found]


def test_a_mean_beside_the_baseline_is_over_the_examples_of_both(alices, experiment):
    assert cells(alices, experiment, "new")["newer"] == (0.5, 1, False)


def test_a_mean_over_every_example_needs_no_number(alices, project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_similarity")
    for variant, outputs in {
        "old": ("x", "y", "z"),
        "new": ("Paris", "y", "z"),
        "best": ("Paris", "Rome", "z"),
    }.items():
        factories.scored_run(experiment, outputs, variant)

    found = cells(alices, experiment, "old")
    assert {n for _, n, _ in found.values()} == {None}
    assert [name for name, (_, _, is_best) in found.items() if is_best] == ["best"]


def test_beside_a_variant_without_scores_the_other_mean_says_how_many(alices, experiment):
    ids = [experiment.runs.get(variant=name).pk for name in ("old", "newer")]
    page = alices.get(f"/compare/?runs={ids[0]},{ids[1]}")

    row = next(row for row in page.context["duel"].rows if row.name == "helpful")
    assert (row.baseline, row.variant, row.sizes) == (None, 0.25, (None, 2))
    assert "n = 2" in page.content.decode()


def test_a_mean_over_the_examples_of_both_says_so(alices, experiment):
    runs = sorted(experiment.runs.all(), key=lambda run: run.variant != "new")
    page = text_of(alices.get(f"/compare/?runs={','.join(str(run.pk) for run in runs)}"))

    assert "n = 1 in common" in page


def test_a_number_that_all_means_have_in_common_stands_once_in_the_head(alices, project):
    experiment = factories.experiment(project)
    settings = {"direction": "maximize", "minimum": 0, "maximum": 1}
    for variant in ("1", "2", "3"):
        run = factories.scored_run(experiment, variant=variant)
        scores = [{"position": n, "value": 0.5} for n in (1, 2)]
        sent_scores.send(run, None, "helpful", settings, scores)

    page = alices.get(f"/experiments/{experiment.pk}/")

    assert [number for _, number, _ in page.context["ranking"].heads] == [2]
    assert all(row.secondary[0].is_told for row in page.context["ranking"].rows)


def test_what_else_a_cell_says_of_its_mean_is_one_short_line_with_a_title(alices, project, experiment):
    more = factories.scored_run(experiment, ('{"no": "Paris"}', "Rome", "Bern"), "more")
    settings = {"direction": "maximize", "minimum": 0, "maximum": 1}
    sent_scores.send(more, None, "helpful", settings, [{"position": n, "value": 0.5} for n in (1, 2)])
    deaf = evaluators.create(project, None, "deaf", "exact_match", {}, {"actual": {"path": "$.output.no"}})
    experiments.add_evaluators(experiment, [deaf])
    while scoring.work(seconds=10):
        pass
    runs = sorted(experiment.runs.all(), key=lambda run: run.variant != "newer")

    page = markup(alices.get(f"/compare/?runs={','.join(str(run.pk) for run in runs)}"))

    assert 'title="1 example in common with the baseline">n = 1<span class="unseen">in common</span>' in page
    assert re.search(
        r'title="2 unreadable answers count as wrong">2 unread<span class="unseen">\s*as wrong</span>', page
    )


@pytest.mark.parametrize(
    ("more", "in_head", "in_rows", "drawn"), [((), 1, 0, 0), (('{"no": "Paris"}', "b", "c"), 0, 3, 1)]
)
def test_that_all_answers_are_unread_stands_once_in_the_head_without_drawings(
    alices, project, more, in_head, in_rows, drawn
):
    experiment = factories.experiment(project)
    for n, outputs in enumerate([("a", "b", "c")] * 3 + [more] * bool(more)):
        factories.scored_run(experiment, outputs, str(n))
    deaf = evaluators.create(project, None, "deaf", "exact_match", {}, {"actual": {"path": "$.output.no"}})
    experiments.add_evaluators(experiment, [deaf])
    while scoring.work(seconds=10):
        pass

    page = alices.get(f"/experiments/{experiment.pk}/")

    assert markup(page).count(">all unread<") == in_head
    assert markup(page).count(">3 unread<") == in_rows
    assert sum(bool(row.secondary[0].plot) for row in page.context["ranking"].rows) == drawn


def test_that_nothing_was_read_of_two_variants_is_said_once_and_nothing_is_drawn(alices, project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ("a", "b", "c"), name) for name in ("old", "new")]
    deaf = evaluators.create(project, None, "deaf", "exact_match", {}, {"actual": {"path": "$.output.no"}})
    experiments.add_evaluators(experiment, [deaf])
    while scoring.work(seconds=10):
        pass

    def shown():
        return alices.get(f"/compare/?runs={runs[0].pk},{runs[1].pk}")

    second = shown()
    experiment.primary = deaf
    experiment.save()
    first = shown()

    assert [row.head.evaluator for row in second.context["duel"].rows if row.is_unread] == [deaf]
    assert markup(second).count("unread as") == 1
    assert "unread as" not in markup(first)
    assert "all unread" not in markup(first)
    assert "of 3 answers" not in text_of(first)


def test_what_a_narrow_head_has_no_room_for_is_read_aloud_and_stands_above_the_statistics(alices, project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    for name in ("1", "2", "3"):
        factories.scored_run(experiment, variant=name)
    address = f"/experiments/{experiment.pk}/"

    page = alices.get(address)
    [(head, _, _)] = page.context["ranking"].heads
    opened = text_of(alices.get(f"{address}?details={head.evaluator.pk}"))

    assert head.facts == "v1, lower is better"
    assert f'<span class="unseen">: {head.evaluator.name}, v1, lower is better</span>' in markup(page)
    assert "Close statistics v1, lower is better" in " ".join(opened.split())


@pytest.mark.parametrize(("count", "is_low"), [(8, False), (9, True)])
def test_more_than_eight_variants_have_low_rows(alices, project, count, is_low):
    experiment = factories.experiment(project)
    for n in range(count):
        factories.scored_run(experiment, variant=f"a variant with a name that fills some lines {n}")

    page = markup(alices.get(f"/experiments/{experiment.pk}/"))

    assert ("many-rows" in page) is is_low
