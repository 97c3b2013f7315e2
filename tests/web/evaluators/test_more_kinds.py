"""The evaluators that are offered to what is scored already."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.kinds.evidence import Pair, evidence
from evaluations.web.forms.choices import NOTHING
from tests import factories

pytestmark = pytest.mark.django_db


def test_kinds_that_score_the_runs_already_are_not_offered_again(alices, project):
    experiment = factories.experiment(project, "rouge_l")
    factories.scored_run(experiment)

    form = alices.get(f"/experiments/{experiment.pk}/evaluators/").context["form"]

    offered = {choice.value for group in form.evaluator_groups for choice in group.choices}
    assert "kind:rouge_l" not in offered
    assert "kind:token_f1" in offered


def test_rows_that_are_all_right_lie_far_apart():
    texts = ["one two three four", "one two three for", "one two tree for", "one to tree for"]
    pairs = [Pair(text, "one two three four") for text in texts]

    shown = evidence(
        "levenshtein_similarity", pairs, "Close", lambda rows: [1.0, 0.95, 0.9, 0.7][: len(rows)]
    )

    assert shown is not None
    assert {1.0, 0.7} & {*shown.lines[0].values} == {1.0, 0.7}


WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
CUT = [f"{WORDS[:length]} other" for length in (30, 40, 50)]


def test_the_advice_names_what_scores_the_runs_already(alices, project):
    experiment = factories.experiment(project, "rouge_l", references=[WORDS] * 3)
    factories.scored_run(experiment, CUT)
    evaluators.change(experiment.primary, None, name="Mine")

    body = " ".join(alices.get(f"/experiments/{experiment.pk}/evaluators/").content.decode().split())

    assert "<b>ROUGE</b> suits these references best and is the primary evaluator already (Mine): " in body


def test_kinds_that_find_nothing_are_folded_below_what_can_be_selected(alices, project):
    experiment = factories.experiment(project, "rouge_l", "levenshtein_similarity", references=[WORDS] * 3)
    factories.scored_run(experiment, CUT)

    groups = alices.get(f"/experiments/{experiment.pk}/evaluators/").context["form"].evaluator_groups

    found = {group.heading: {choice.name for choice in group.choices} for group in groups}
    assert found[NOTHING] == {"Exact match", "Contains"}
    assert [group.heading for group in groups][-1] == NOTHING
    assert next(group.is_open for group in groups if group.can_be_selected)
