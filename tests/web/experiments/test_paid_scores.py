"""The page and the API say what embeddings would cost before they are paid."""

from decimal import Decimal

import pytest

from evaluations.evaluators import connections
from tests import factories


@pytest.fixture
def semantic(project, settings):
    connection = factories.connection(project, settings)
    connections.change(connection, price_per_million=Decimal("2.5"))
    return factories.evaluator(project, "semantic_similarity")


def test_the_page_says_what_it_would_cost_before_it_is_scored(alices, project, semantic):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)

    body = alices.get(f"/experiments/{experiment.pk}/evaluators/").content.decode()

    assert "Calls a server: at most about" in body


def test_where_nothing_costs_there_is_no_form_of_money(alices, project):
    experiment = factories.experiment(project)

    body = alices.get(f"/experiments/{experiment.pk}/money/").content.decode()

    assert "Scoring a run costs nothing" in body
    assert "asked when it is started" not in body
    assert "?kind=judge" in body
    assert 'name="budget"' not in body
