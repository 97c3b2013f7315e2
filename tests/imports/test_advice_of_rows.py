"""What is advised for files with a row for each output: those of a variant beside the references they are about."""

import random

import pytest

from evaluations.imports import forecasts
from evaluations.imports.columns.columnmap import ColumnMap
from evaluations.imports.uploads import uploads
from tests.factories import jsonl, parked

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["q"], "reference": ["a"], "output": "said", "variant": "model", "key": "id"}


def rows(variants, examples: int, missing=()) -> list[dict[str, object]]:
    of_all = [(model, n) for model in variants for n in range(examples) if (model, n) not in missing]
    return [
        {"id": n, "q": f"question {n}", "a": f"Town{n}", "said": f"{model} {n}", "model": model}
        for model, n in of_all
    ]


def outlook(project, found) -> forecasts.Forecast:
    upload = parked(project, jsonl(*found), "rows.jsonl")
    return forecasts.forecast(upload, ColumnMap.check(uploads.preview(upload).columns, MAPPING))


@pytest.mark.parametrize("is_mixed", [False, True])
def test_a_reference_counts_once_however_many_variants_answered(project, is_mixed):
    found = rows(("one", "two", "three"), 30)
    if is_mixed:
        random.Random(1).shuffle(found)

    advised = outlook(project, found)

    assert "the 30 references" in advised.advice.reason
    assert all(pair.reference == {"a": f"Town{str(pair.output).split()[1]}"} for pair in advised.pairs)
    assert sorted({str(pair.output).split()[0] for pair in advised.pairs}) == ["one", "three", "two"]


def test_an_example_that_a_variant_did_not_answer_has_no_output_of_it(project):
    pairs = outlook(project, rows(("one", "two"), 4, missing={("two", 0), ("two", 3)})).pairs

    said = [pair.output for pair in pairs]
    assert said == ["one 0", None, "one 1", "two 1", "one 2", "two 2", "one 3", None]


def test_the_first_of_several_outputs_of_a_variant_for_an_example_counts(project):
    found = rows(("one", "two"), 3)
    found += [row | {"said": f"{row['model']} again"} for row in found]

    assert not any("again" in str(pair.output) for pair in outlook(project, found).pairs)
