"""Properties for all texts: symmetry, identity, bounds, and that a batch scores like its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluations import kinds
from evaluations.kinds import Column
from tests.kinds.test_catalogue import configured

# few letters, so that texts are often alike; surrogates, marks and wide spaces, which are difficult
LETTERS = st.sampled_from(list("abAB1,.- \n\0éΣß\u0301\u3000\ufeff😀\ud83d\ude00日[]"))
TEXTS = st.text(LETTERS, max_size=40) | st.text(st.characters(exclude_categories=[]), max_size=20)
ROWS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8)

OFFLINE = [kind for kind in kinds.CATALOGUE.values() if not kind.needs_connection]
SYMMETRIC = (
    "levenshtein_similarity",
    "levenshtein_distance",
    "similarity_match",
    "content_similarity",
    "exact_match",
    "indel_similarity",
    "jaro_winkler",
    "rouge_l",
)
# Equal texts have this value, unless they have nothing the kind could count.
IDENTICAL = {"levenshtein_similarity": 1, "levenshtein_distance": 0, "similarity_match": 1}
IDENTICAL |= {"content_similarity": 1, "exact_match": 1, "indel_similarity": 1, "jaro_winkler": 1}

every_offline_kind = pytest.mark.parametrize("kind", OFFLINE, ids=lambda kind: kind.key)


def evaluate(kind, rows):
    actual, expected = zip(*rows, strict=True)
    sides = {"actual": Column(list(actual)), "expected": Column(list(expected))}
    return kind.evaluate(configured(kind), sides)


@pytest.mark.parametrize("key", SYMMETRIC)
@settings(max_examples=40)
@given(rows=ROWS)
def test_the_sides_may_be_swapped(key, rows):
    scores = evaluate(kinds.get(key), rows)
    mirrored = evaluate(kinds.get(key), [(expected, actual) for actual, expected in rows])

    np.testing.assert_allclose(scores.values, mirrored.values, atol=1e-12)


@pytest.mark.parametrize("key", IDENTICAL)
@settings(max_examples=40)
@given(text=TEXTS)
def test_equal_texts_are_as_good_as_can_be(key, text):
    assert evaluate(kinds.get(key), [(text, text)]).values.tolist() == [IDENTICAL[key]]


@every_offline_kind
@settings(max_examples=20)
@given(rows=ROWS)
def test_every_value_is_within_the_bounds_and_finite_where_scored(kind, rows):
    scores = evaluate(kind, rows)
    low, high = kind.bounds(configured(kind))

    values = scores.values[scores.status == kinds.Status.SCORED]
    assert np.isfinite(values).all()
    assert low is None or (values >= low).all()
    assert high is None or (values <= high).all()


@every_offline_kind
@settings(max_examples=20)
@given(rows=ROWS)
def test_a_batch_scores_like_its_rows(kind, rows):
    batch = evaluate(kind, rows)
    single = [evaluate(kind, [row]) for row in rows]

    np.testing.assert_array_equal(batch.values, [scores.values[0] for scores in single])
    np.testing.assert_array_equal(batch.passed, [scores.passed[0] for scores in single])
    np.testing.assert_array_equal(batch.status, [scores.status[0] for scores in single])


@every_offline_kind
@settings(max_examples=15)
@given(rows=ROWS, choices=st.data())
def test_the_order_of_rows_does_not_matter(kind, rows, choices):
    order = choices.draw(st.permutations(range(len(rows))))

    shuffled = evaluate(kind, [rows[row] for row in order])

    np.testing.assert_array_equal(shuffled.values, evaluate(kind, rows).values[order])


@every_offline_kind
@settings(max_examples=15)
@given(actual=TEXTS, expected=TEXTS)
def test_anything_can_be_explained(kind, actual, expected):
    detail = kind.explain(configured(kind), actual, expected)

    assert "compared" in detail
    assert "formula" in detail or "note" in detail


@every_offline_kind
def test_lone_surrogates_are_texts_like_others(kind):
    scores = evaluate(kind, [("a\ud800b\udfff", "a\ud800b\udfff"), ("aéb日", "aéb日")])

    assert scores.status[0] == scores.status[1]


def test_a_column_does_not_change_lone_surrogates():
    assert Column(["\ud800"]).values == ["\ud800"]


def test_a_lone_surrogate_differs_from_its_replacement():
    assert evaluate(kinds.get("exact_match"), [("\ud800", "\ufffd")]).values.tolist() == [0.0]
    assert evaluate(kinds.get("levenshtein_distance"), [("\ud800", "\udfff")]).values.tolist() == [1.0]
