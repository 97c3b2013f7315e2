"""The evaluators that are offered to what is scored already."""

import pytest

from evaluations.kinds.evidence import Pair, evidence
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
