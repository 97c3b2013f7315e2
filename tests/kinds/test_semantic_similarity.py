"""The kind `semantic_similarity`."""

import numpy as np
import pytest

from evaluations import kinds
from evaluations.kinds import Column, Status


class Embedder:
    """An embedder with scripted vectors, which records its calls."""

    def __init__(self, vectors):
        self.vectors = vectors
        self.calls = []

    def __call__(self, texts):
        self.calls.append(list(texts))
        answers = [self.vectors[text] for text in texts]
        return [answer if isinstance(answer, str) else np.array(answer, np.float32) for answer in answers]


def test_the_value_is_the_cosine_of_the_embeddings(evaluate):
    embed = Embedder({"a": [3, 4], "b": [4, 3], "c": [-3, -4]})

    scores = evaluate("semantic_similarity", [("a", "b"), ("a", "c"), ("a", "a")], embed=embed)

    assert scores.values == pytest.approx([0.96, -1.0, 1.0], abs=1e-6)
    assert scores.passed.tolist() == [-1, -1, -1]


def test_each_distinct_text_is_embedded_once_in_one_call(evaluate):
    embed = Embedder({"a": [1, 0], "b": [0, 1]})

    evaluate("semantic_similarity", [("a", "b"), ("b", "a"), ("a", "a")], embed=embed)

    assert embed.calls == [["a", "b"]]


def test_a_blank_text_is_missing_without_a_call(evaluate):
    embed = Embedder({})

    scores = evaluate("semantic_similarity", [("", "b"), ("a", " \n"), ("", ""), (None, "b")], embed=embed)

    words = [Status(status).word for status in scores.status]
    assert words == ["missing_actual", "missing_expected", "missing_expected", "missing_actual"]
    assert embed.calls == []


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([0, 0], "zero vector"),
        ([float("nan"), 1], "NaN or infinity"),
        ([float("inf"), 1], "NaN or infinity"),
        ([1, 0, 0], "3 and 2 numbers"),
        ("timeout: The server did not answer.", "timeout: "),
    ],
)
def test_a_useless_answer_is_an_error_of_its_row_only(evaluate, vector, message):
    embed = Embedder({"bad": vector, "good": [1, 0]})

    scores = evaluate("semantic_similarity", [("bad", "good"), ("good", "good")], embed=embed)

    assert scores.status.tolist() == [Status.ERROR, Status.SCORED]
    assert message in scores.messages[0]


@pytest.mark.parametrize(("threshold", "verdict"), [(0.96, 0), (0.95, 1), (0, 1), (-1, 1), (1, 0)])
def test_it_passes_from_the_threshold_on(evaluate, threshold, verdict):
    embed = Embedder({"a": [3, 4], "b": [4.001, 3]})

    scores = evaluate("semantic_similarity", [("a", "b")], embed=embed, threshold=threshold)

    assert scores.passed.tolist() == [verdict]


def test_it_cannot_be_scored_without_a_way_to_embed():
    kind = kinds.get("semantic_similarity")

    with pytest.raises(TypeError, match="embed"):
        kind.evaluate(kind.parse({}), {"actual": Column(["a"]), "expected": Column(["a"])})


def test_the_detail_shows_the_cosine(explain):
    detail = explain(
        "semantic_similarity", "a", "b", embed=Embedder({"a": [3, 4], "b": [4, 3]}), threshold=0.5
    )

    assert detail["cosine"] == pytest.approx(0.96)
    assert detail["formula"] == "cosine = 0.9600, passes at 0.5"


def test_the_detail_of_a_blank_text_says_so(explain):
    assert "note" in explain("semantic_similarity", " ", "b", embed=Embedder({}))
