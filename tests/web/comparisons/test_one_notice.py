"""What is said where answers wrap JSON that the evaluators do not read: one notice, with the button."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Evaluator
from tests import factories

pytestmark = pytest.mark.django_db

FENCED = tuple(f'```json\n{{"city": "{city}"}}\n```' for city in ("Paris", "Lyon", "Oslo") * 10)


def test_remarks_with_the_same_cause_are_folded_below_the_offer(alices, project):
    experiment = factories.experiment(project, "json_fields", references=[{"city": "Paris"}] * 30)
    evaluators.change(Evaluator.objects.get(), None, kind_version=2)
    experiment.evaluator_links.all().delete()
    experiments.add_evaluators(experiment, [Evaluator.objects.get()])
    for name in ("old", "new"):
        factories.scored_run(experiment, FENCED, name)

    page = alices.get(f"/experiments/{experiment.pk}/")

    html = page.content.decode()
    assert "Choose what evaluators compare" not in html
    assert "60 of 60 answers looked at wrap the JSON in a fence." in " ".join(html.split())
    assert not {"fit", "whole", "form"} & {note.topic for note in page.context["notes"].shown}
    assert "fit" in {note.topic for note in page.context["notes"].folded}


def test_a_remark_about_a_secondary_evaluator_alone_is_folded(alices, project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=["a"] * 30)
    secondary = factories.evaluator(project, "check", "Says so", phrases="")
    experiments.add_evaluators(experiment, [secondary])
    for name in ("old", "new"):
        factories.scored_run(experiment, ["a"] * 30, name)

    page = alices.get(f"/experiments/{experiment.pk}/")

    assert page.context["warnings"] == []
    assert any("Says so: 30 of 30 examples" in sentence for sentence in page.context["also_folded"])
