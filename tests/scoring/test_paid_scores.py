"""The estimate of what embeddings of a server would cost."""

from decimal import Decimal

import pytest

from evaluations.evaluators import connections
from evaluations.experiments import experiments
from evaluations.models import Scoring
from evaluations.scoring import paid_scores
from tests import factories


@pytest.fixture
def semantic(project, settings):
    connection = factories.connection(project, settings)
    connections.change(connection, price_per_million=Decimal("2.5"))
    return factories.evaluator(project, "semantic_similarity")


def test_texts_and_tokens_are_those_of_all_runs_and_their_references(project, semantic):
    experiment = factories.experiment(project, references=["x" * 98] * 3)
    every = [factories.scored_run(experiment, ["y" * 400] * 3, name) for name in ("v1", "v2")]

    [estimate] = paid_scores.estimates(every, experiments.newest([semantic]))

    assert estimate.texts == 9
    assert 600 + 3 * 98 / 4 <= estimate.tokens <= 600 + 3 * 130 / 4
    assert estimate.cost == pytest.approx(estimate.tokens * 2.5e-6)
    assert Scoring.objects.count() == 2


@pytest.mark.long
def test_formulas_and_the_built_in_model_cost_nothing(project):
    experiment = factories.experiment(project, "exact_match", "semantic_similarity")
    run = factories.scored_run(experiment)

    assert paid_scores.estimates([run], experiments.versions_of(experiment)) == []
