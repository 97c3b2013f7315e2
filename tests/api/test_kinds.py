"""The catalogue of evaluator kinds by the API."""

import pytest

from evaluations import kinds


@pytest.mark.parametrize("key", kinds.CATALOGUE)
def test_a_kind_states_what_it_promises(reader, key):
    answer = reader.get(f"evaluator-kinds/{key}/").json()

    assert answer["formula"].endswith(".")
    assert len(answer["edge_cases"]) >= 4
    assert answer["version"] >= 1
    assert answer["source"]
    assert len(answer["golden"]) == len(kinds.get(key).contract.golden)


def test_a_golden_vector_shows_its_working(reader):
    first = reader.get("evaluator-kinds/levenshtein_similarity/").json()["golden"][0]

    assert first == {
        "actual": "The quick brown dog",
        "expected": "The quick brown fox",
        "config": {},
        "value": 0.89,
        "passed": True,
        "status": "scored",
        "why": "1 − 2/19 = 0.8947…",
        "embeddings": None,
    }
