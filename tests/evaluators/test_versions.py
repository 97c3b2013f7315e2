"""The history of an evaluator: its versions, what each changed, and the runs it scored."""

import pytest
from model_bakery import baker

from evaluations.evaluators import evaluators, versions
from evaluations.models import EvaluatorVersion, Project
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluator():
    project = baker.make(Project, name="Support", slug="support")
    return evaluators.create(project, None, "Same", "exact_match", {}, {})


def test_the_history_lists_every_version_with_its_changes(evaluator):
    evaluators.change(evaluator, None, config={"case_sensitive": False})

    newest, oldest = versions.history(evaluator)

    assert (newest.version.number, oldest.version.number) == (2, 1)
    assert [str(change) for change in newest.changes] == ["case-sensitive on → off"]
    assert oldest.changes == []


def test_the_history_leads_to_the_runs_that_an_older_version_scored(project):
    experiment = factories.experiment(project, "exact_match")
    run = factories.scored_run(experiment)
    evaluator = experiment.evaluator_versions.get().evaluator
    evaluators.change(evaluator, None, config={"case_sensitive": False})

    newest, oldest = versions.history(evaluator)

    assert (newest.runs, oldest.runs) == ([], [run])


def test_a_version_with_an_old_formula_warns(evaluator):
    EvaluatorVersion.objects.filter(evaluator=evaluator).update(kind_version=0)
    assert "formula" in evaluators.warnings(evaluators.newest(evaluator))[-1]

    evaluators.change(evaluator, None, name="Same")

    assert evaluator.version == 2
    assert evaluators.warnings(evaluators.newest(evaluator)) == []
    assert [str(change) for change in versions.history(evaluator)[0].changes] == ["formula v0 → v1"]
