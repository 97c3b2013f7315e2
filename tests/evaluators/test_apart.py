"""Long texts are scored and explained in a child process, with the same numbers."""

import os

import pytest

from evaluations.children import Busy, Pool, TooMuchMemory, TooSlow
from evaluations.errors import TooLarge, TooManyRequests
from evaluations.evaluators import apart
from evaluations.evaluators.recipe import Recipe
from evaluations.mapping import Contexts

LONG = "ab" * apart.LONG
RECIPE = Recipe.compile("levenshtein_distance", {}, {"actual": {"path": "$.output.text"}})


def contexts(text: str) -> Contexts:
    return Contexts.of_rows([{"output": {"text": text}, "expected": "ab"}])


@pytest.fixture
def calls(monkeypatch) -> list[object]:
    """What was run apart."""
    run, calls = Pool.run, list[object]()

    def note(pool, seconds, function, *args):
        calls.append(function)
        return run(pool, seconds, function, *args)

    monkeypatch.setattr(Pool, "run", note)
    return calls


@pytest.mark.processes
def test_long_texts_get_the_same_scores_and_explanations_apart(calls):
    assert apart.scores(RECIPE, contexts(LONG)).values.tolist() == [len(LONG) - 2]
    assert apart.explain(RECIPE, contexts(LONG), 0) == RECIPE.explain(contexts(LONG), 0)
    assert len(calls) == 2


def test_short_texts_are_scored_here(calls):
    assert apart.scores(RECIPE, contexts("abc")).values.tolist() == [1]
    assert not calls


@pytest.mark.parametrize(
    ("problem", "refusal"), [(Busy, TooManyRequests), (TooSlow, TooLarge), (TooMuchMemory, TooLarge)]
)
def test_what_takes_too_much_is_refused(monkeypatch, problem, refusal):
    def fail(*_: object) -> None:
        raise problem()

    monkeypatch.setattr(Pool, "run", fail)

    with pytest.raises(refusal):
        apart.scores(RECIPE, contexts(LONG))


def test_every_side_of_a_row_counts_with_its_nested_texts():
    row = {"input": {"q": ["a" * 5]}, "output": "bb", "reference": {"r": "ccc"}, "metadata": {}}

    assert 5 + 2 + 3 <= Contexts.of_rows([row, {"output": "a"}]).longest <= 2 * (5 + 2 + 3 + 2)


def test_a_forked_process_starts_children_of_its_own(monkeypatch):
    pool = Pool(1)
    monkeypatch.setattr(pool, "_owner", os.getpid() + 1)
    pool._idle.append("a child of the parent")

    monkeypatch.setattr("evaluations.children._Child", lambda: "a new child")

    assert pool._child() == "a new child"
