"""Previews of a new version of an evaluator. Expected figures are computed by hand in the comments."""

import pytest
from django.apps import apps

from evaluations.api.serializers.preview import PreviewSerializer
from evaluations.comparisons import previews
from evaluations.datasets import datasets
from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments, runs
from evaluations.models import Evaluator, Experiment, Run
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ("Paris", "Rome", "Oslo", "Bern")


@pytest.fixture
def experiment(project) -> Experiment:
    """With case, "lower" has one answer right and "mixed" two; without case, "lower" has all four."""
    new_experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    factories.scored_run(new_experiment, ("paris", "rome", "oslo", "Bern"), "lower")
    factories.scored_run(new_experiment, ("Paris", "Rome", "Lima", "bern"), "mixed")
    return new_experiment


@pytest.fixture
def exact(experiment) -> Evaluator:
    """The evaluator, with a second version that ignores case and has scored no run."""
    [version] = experiments.versions_of(experiment)
    return evaluators.change(version.evaluator, None, config={"case_sensitive": False})


def all_rows() -> dict[str, list]:
    """Every row of every table."""
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in apps.get_models()}


def test_old_and_new_means_stand_side_by_side(experiment, exact):
    [change] = previews.preview(experiment, [exact]).evaluators
    lower, mixed = change.runs

    assert (lower.n, lower.old_mean, lower.new_mean, lower.changed) == (4, 1 / 4, 4 / 4, 3)
    assert (mixed.n, mixed.old_mean, mixed.new_mean, mixed.changed) == (4, 2 / 4, 3 / 4, 1)


def test_labels_that_flip_are_counted_and_shown(experiment, exact):
    [change] = previews.preview(experiment, [exact]).evaluators
    lower, mixed = change.runs

    assert (lower.n_to_pass, lower.n_to_fail) == (3, 0)
    assert [(flip.position, flip.key, flip.old, flip.new) for flip in mixed.to_pass] == [(4, "k4", 0.0, 1.0)]


def test_labels_flip_to_fail_as_well(experiment, exact):
    experiments.add_evaluators(experiment, [exact])
    while scoring.work(5):
        pass
    strict = evaluators.change(exact, None, config={"case_sensitive": True})

    [change] = previews.preview(experiment, [strict]).evaluators

    assert sorted(run.n_to_fail for run in change.runs) == [1, 3]
    assert [[run.name] for run in change.runs] == change.after, "best first, as the ranking above them"


def test_a_change_of_the_order_is_reported(experiment, exact):
    [change] = previews.preview(experiment, [exact]).evaluators

    assert change.is_reordered
    assert change.before == [["mixed"], ["lower"]]
    assert change.after == [["lower"], ["mixed"]]


def test_runs_of_one_name_are_told_apart_by_their_numbers(experiment, exact):
    again = factories.scored_run(experiment, ("Paris", "Rome", "Oslo", "bern"), "mixed")
    Run.objects.filter(pk=again.pk).update(about={"model": "another"})
    lower, mixed, _ = (run.pk for run in experiments.scorable_runs(experiment))

    [change] = previews.preview(experiment, [exact]).evaluators

    names = {run.run.pk: run.name for run in change.runs}
    assert names == {lower: "lower", mixed: f"mixed, run {mixed}", again.pk: f"mixed, run {again.pk}"}
    assert change.before == [[names[again.pk]], [names[mixed]], [names[lower]]]


def test_a_preview_names_the_settings_that_differ(experiment, exact):
    [change] = previews.preview(experiment, [exact]).evaluators

    assert [str(setting) for setting in change.settings] == ["case-sensitive on → off"]


def test_a_preview_stores_nothing(experiment, exact):
    before = all_rows()

    previews.preview(experiment, [exact])

    assert all_rows() == before


def test_the_preview_equals_real_scoring(experiment, exact):
    [change] = previews.preview(experiment, [exact]).evaluators
    experiments.add_evaluators(experiment, [exact])
    while scoring.work(5):
        pass

    scorings = scorings_by_run([run_change.run for run_change in change.runs])
    assert [run_change.new_mean for run_change in change.runs] == [
        scorings[run_change.run.pk][0].summary["mean"] for run_change in change.runs
    ]


def test_a_run_that_has_the_newest_version_stays_as_it_is(experiment, exact):
    experiments.add_evaluators(experiment, [exact])
    while scoring.work(5):
        pass

    [change] = previews.preview(experiment, [exact]).evaluators

    assert [run_change.changed for run_change in change.runs] == [0, 0]
    assert previews.outdated(experiment) == []


def test_an_evaluator_that_is_new_here_has_means_to_come(experiment, project):
    similar = factories.evaluator(project, "levenshtein_similarity")

    [change] = previews.preview(experiment, [similar]).evaluators

    assert [run_change.old for run_change in change.runs] == [None, None]
    # It ignores case: three answers are the same text, "Lima" shares no letter at the same position with "Oslo".
    assert change.runs[1].new_mean == pytest.approx(3 / 4)


def test_beyond_the_bound_a_sample_is_compared_and_reported(experiment, exact, monkeypatch):
    monkeypatch.setattr(previews, "MOST_EXAMPLES", 3)

    first, second = (PreviewSerializer(previews.preview(experiment, [exact])).data for _ in range(2))

    assert (first["looked_at"], first["total"], first["seed"]) == (3, 4, experiment.pk)
    assert first == second


def test_rows_of_later_versions_are_not_in_the_sample(experiment, exact, monkeypatch):
    monkeypatch.setattr(previews, "MOST_EXAMPLES", 4)
    later_rows = [{"inputs": {}, "reference": {"answer": "Riga"}}] * 40
    datasets.append(experiment.dataset, None, later_rows)
    experiment.refresh_from_db()

    preview = previews.preview(experiment, [exact])

    # All four examples of version 1, none of the 40 that came later.
    assert (preview.looked_at, preview.total, preview.seed) == (4, 4, None)


def test_rows_that_were_edited_away_are_not_sampled(experiment, exact, monkeypatch):
    monkeypatch.setattr(previews, "MOST_EXAMPLES", 3)
    for _ in range(8):
        oldest = datasets.examples(experiment.dataset).first().position
        datasets.edit(experiment.dataset, None, oldest, {"reference": {"answer": "Riga"}})
    experiment.refresh_from_db()
    experiments.use_dataset_version(experiment)

    assert previews.preview(experiment, [exact]).looked_at == 3


def test_only_examples_that_a_run_was_asked_are_looked_at(experiment, exact):
    """The runs beside it were asked all four."""
    part = factories.run(experiment, ("Paris", "Lyon"), "part", split=factories.split(experiment.dataset))
    while scoring.work(5):
        pass

    preview = previews.preview(experiment, [exact])

    [whole, *_, partial] = preview.evaluators[0].runs
    assert (partial.run, partial.n, partial.gained, whole.n) == (part, 2, 0, 4)


def test_the_sample_is_of_examples_that_a_run_was_asked(experiment, exact, monkeypatch):
    monkeypatch.setattr(previews, "MOST_EXAMPLES", 2)
    for run in Run.objects.all():
        runs.delete(run)
    factories.run(experiment, ("Paris", "Rome"), split=factories.split(experiment.dataset))
    while scoring.work(5):
        pass

    preview = previews.preview(experiment, [exact])

    assert (preview.looked_at, preview.total, preview.seed) == (2, 2, None)
    assert preview.evaluators[0].runs[0].n == 2


def test_vectors_that_are_not_stored_are_not_fetched(experiment, project):
    connections.create(project, None, "Server", "https://8.8.8.8/v1", "sk-0123456789")
    semantic = factories.evaluator(project, "semantic_similarity")

    [change] = previews.preview(experiment, [semantic]).evaluators

    assert [run_change.unknown for run_change in change.runs] == [4, 4]
    assert [run_change.n for run_change in change.runs] == [0, 0]


def test_an_edited_evaluator_is_outdated_where_older_versions_scored(experiment, exact):
    assert previews.outdated(experiment) == [exact]
    assert previews.unseen(experiment, [exact]) == [exact]
    assert experiments.behind(exact) == [experiment]
