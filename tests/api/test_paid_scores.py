"""`estimate_only` says what embeddings would cost, and scores nothing."""

from decimal import Decimal

from evaluations.evaluators import connections
from evaluations.models import Run, Scoring
from tests import factories


def test_an_estimate_scores_nothing(writer, project, settings):
    connection = factories.connection(project, settings)
    connections.change(connection, price_per_million=Decimal("2.5"))
    semantic = factories.evaluator(project, "semantic_similarity")
    run = factories.scored_run(factories.experiment(project))
    body = {"evaluators": [semantic.pk], "estimate_only": True}

    answers = [
        writer.post(f"experiments/{run.experiment_id}/evaluators/", body),
        writer.post(f"runs/{run.pk}/scorings/", body),
    ]

    for answer in answers:
        [estimate] = answer.json()["estimates"]
        assert answer.status_code == 200
        assert (estimate["evaluator"], estimate["texts"]) == (semantic.pk, 6)
        assert 0 < estimate["cost"] < 0.001
    assert Scoring.objects.count() == 1


def test_the_scores_of_a_new_run_are_estimated_and_the_run_is_not_stored(writer, project, settings):
    connection = factories.connection(project, settings)
    connections.change(connection, price_per_million=Decimal("2.5"))
    experiment = factories.experiment(project, "semantic_similarity")
    outputs = [{"position": n, "output": "Paris"} for n in (1, 2, 3)]
    body = {"experiment": experiment.pk, "variant": "new", "outputs": outputs, "estimate_only": True}

    answer = writer.post("runs/", body)
    refused = writer.post("runs/", body | {"outputs": [*outputs, outputs[0]]})

    [estimate] = answer.json()["estimates"]
    assert (answer.status_code, estimate["texts"]) == (200, 6)
    assert 0 < estimate["cost"] < 0.001
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "duplicate_output")
    assert not Run.objects.exists()
