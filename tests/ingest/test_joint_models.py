"""Battles whose models stand in one column, as in PandaLM: "small_large" beside response1 and response2."""

import io
import json

import pytest

from evaluations import ingest

MODELS = ("llama-7b", "opt-7b", "bloom-7b")


def battles(sign, raters=3, rows=30):
    """What raters say of each pair: the first of the three models is better, and 0 is a tie."""
    for n in range(rows):
        first, second = MODELS[n % 3], MODELS[(n + 1) % 3]
        better = 1 + (first != "llama-7b") if "llama-7b" in (first, second) else 0
        yield {
            "idx": n,
            "pair": f"{first}{sign}{second}",
            "instruction": f"Shorten sentence number {n}.",
            "response1": f"{first} says {n}",
            "response2": f"{second} says {n}",
            **{f"annotator{k}": better for k in range(1, raters + 1)},
        }


def previewed(rows):
    content = "\n".join(map(json.dumps, rows)).encode()
    return ingest.preview(io.BytesIO(content), "battles.jsonl", limits=ingest.Limits())


@pytest.mark.parametrize("sign", [" vs ", " vs. ", "_vs_", "_", "|"])
@pytest.mark.parametrize("raters", [2, 3])
def test_the_models_get_a_column_each_and_the_majority_names_the_better_one(sign, raters):
    seen = previewed(battles(sign, raters))

    assert {*seen.outputs} == {*MODELS}
    assert [row["preferred"] for row in seen.rows[:3]] == ["llama-7b", "opt-7b = bloom-7b", "llama-7b"]


@pytest.mark.parametrize("name", ["topic_{}", "llama-7b_v{}"])
def test_names_that_only_have_the_sign_are_not_of_two_models(name):
    rows = [row | {"pair": name.format(n % 3)} for n, row in enumerate(battles("_"))]

    assert previewed(rows).format.joint_models == ()
