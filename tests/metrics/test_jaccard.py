import pytest

from evaluations.metrics import jaccard


@pytest.mark.parametrize(
    ("a", "b", "similarity"),
    [
        ("a b c", "b c d", 0.5),
        ("a a a", "a", 1.0),
        ("", " \n", 1.0),
        ("", "a", 0.0),
        ("a\u00a0b", "b a", 1.0),
        ("A", "a", 0.0),
    ],
)
def test_known_similarities(a, b, similarity):
    assert jaccard.similarities([a], [b]).tolist() == [similarity]
