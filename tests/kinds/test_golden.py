"""Results of the real products: a sample that lies in the project, and all lines of the files beside it, if there."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from evaluations import kinds
from evaluations.kinds import Column
from tests.kinds.golden_table import FOLLOWED, LEFT_OUT, NOT_FOLLOWED

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"
SUFFIX = ".public.jsonl"

SAMPLES = Path(__file__).parents[1] / "data" / "products"
beside = pytest.mark.skipif(
    not GOLDEN.is_dir(), reason="the complete files lie beside the repository, in ../shared"
)
FILES = pytest.mark.parametrize(
    ("name", "entry"), [(name, entry) for name, entries in FOLLOWED.items() for entry in entries]
)


def read(name):
    with (GOLDEN / (name + SUFFIX)).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def long_texts():
    return {pair["id"]: pair for pair in read("pairs")}


def filled(line, long_texts):
    if line.get("long"):
        line |= {side: long_texts[line["id"]][side] for side in ("output", "expected")}
    return line


def disagreements(entry, lines):
    """Ids of the lines that a kind does not reproduce, scored in one batch per configuration."""
    batches = {}
    for line in lines:
        batches.setdefault(json.dumps(entry.config(line)), []).append(line)
    disagreeing = []
    for config, batch in batches.items():
        kind = kinds.get(entry.kind)
        sides = {
            "actual": Column([line["output"] for line in batch]),
            "expected": Column([line["expected"] for line in batch]),
        }
        scores = kind.evaluate(kind.parse(json.loads(config)), sides)
        for row, line in enumerate(batch):
            if not agrees(entry, entry.expected_value(line), scores.values[row], scores.passed[row]):
                disagreeing.append(line["id"])
    return disagreeing


def agrees(entry, expected, value, passed):
    if expected is None:
        return np.isnan(value)
    if isinstance(expected, bool):
        return passed == expected
    return abs(value - expected / entry.scale) <= entry.tolerance


@FILES
def test_a_kind_gives_the_numbers_of_the_product_in_the_sample(name, entry):
    with (SAMPLES / f"{name}.jsonl").open(encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if entry.config(line) is not None]
    excepted = [line for line in lines if any(applies(line) for _, applies, _ in entry.except_for)]
    compared = [line for line in lines if line not in excepted]

    assert compared
    assert disagreements(entry, compared) == []


@beside
@FILES
def test_a_kind_gives_the_numbers_of_the_product(name, entry, long_texts):
    lines = [filled(line, long_texts) for line in read(name) if entry.config(line) is not None]
    differing = Counter()
    compared = []
    for line in lines:
        reason = next((reason for reason, applies, _ in entry.except_for if applies(line)), None)
        if reason:
            differing[reason] += 1
        else:
            compared.append(line)

    assert len(lines) == entry.lines
    assert differing == Counter({reason: count for reason, _, count in entry.except_for})
    assert disagreements(entry, compared) == []


@beside
def test_every_golden_file_is_named_in_the_table():
    names = {path.name.removesuffix(SUFFIX) for path in GOLDEN.glob("*" + SUFFIX)}

    assert names == set(FOLLOWED) | set(NOT_FOLLOWED)


@beside
@pytest.mark.parametrize("name", FOLLOWED)
def test_every_line_of_a_followed_file_is_followed_or_left_out_by_name(name):
    lines = read(name)
    followed = sum(any(entry.config(line) is not None for entry in FOLLOWED[name]) for line in lines)

    assert len(lines) == followed + sum(LEFT_OUT.get(name, {}).values())


@beside
@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_an_excluded_golden_file_keeps_its_number_of_lines(name):
    lines, _reason = NOT_FOLLOWED[name]

    assert len(read(name)) == lines
