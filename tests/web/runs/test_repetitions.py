"""The page of a variant's repetitions, beside those of the baseline."""

import pytest

from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db
REFERENCES = [str(n) for n in range(12)]


def answers(wrong) -> list[str]:
    return ["wrong" if n in wrong else text for n, text in enumerate(REFERENCES)]


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, "exact_match", references=REFERENCES)
    for wrong in ({0, 1}, {0, 2}):
        factories.scored_run(experiment, answers(wrong), "a")
    return [factories.scored_run(experiment, answers(wrong), "b") for wrong in ({0, 1}, {0, 3})][-1]


def test_both_variants_are_beside_each_other(alices, run):
    page = alices.get(f"/runs/{run.pk}/repetitions/")

    assert [side.name for side in page.context["sides"]] == ["a", "b"]
    assert [segment.count for segment in page.context["segments"]] == [3, 2, 2, 1]
    assert [(row.name, row.answers) for row in page.context["rows"]] == [
        ("k2", "wrong, 1"),
        ("k3", "2 twice"),
        ("k4", "3, wrong"),
    ]
    assert "Repetition noise is" in markup(page)


def test_the_list_is_filtered_by_variant_and_text(alices, run):
    both = alices.get(f"/runs/{run.pk}/repetitions/?which=both").context["rows"]
    found = alices.get(f"/runs/{run.pk}/repetitions/?q=q4").context["rows"]

    assert ([row.name for row in both], [row.name for row in found]) == (["k2"], ["k4"])


def test_one_run_says_what_a_second_would_tell(alices, project):
    run = factories.scored_run(factories.experiment(project))

    page = markup(alices.get(f"/runs/{run.pk}/repetitions/"))

    assert "Run once so far" in page
    assert f'href="/experiments/{run.experiment_id}/variants/new/">Add a variant<' in page


def test_an_evaluator_without_verdicts_is_named(alices, project):
    run = factories.scored_run(factories.experiment(project, "levenshtein_distance"))

    assert "pass threshold" in markup(alices.get(f"/runs/{run.pk}/repetitions/"))


def test_pages_of_the_list_lead_to_each_other(alices, run, monkeypatch):
    monkeypatch.setattr("evaluations.web.runs.repetitions.SIZE", 2)
    first = alices.get(f"/runs/{run.pk}/repetitions/")
    second = alices.get(first.context["next"])

    assert [row.name for row in second.context["rows"]] == ["k4"]
    assert [row.name for row in alices.get(second.context["previous"]).context["rows"]] == ["k2", "k3"]
