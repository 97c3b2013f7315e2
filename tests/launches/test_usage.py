"""The usage of runs: sums computed by hand; None if unknown."""

import csv
import io
import json

import pytest

from evaluations.api.serializers.run import GenerationUsageSerializer
from evaluations.launches import usage
from evaluations.models import Answer, Budget, Generation, Launch, Output, Run
from evaluations.results import exports
from tests import factories
from tests.api.conftest import program


@pytest.fixture
def run(project) -> Run:
    return factories.run(factories.experiment(project), [], start=False)


def answered(run: Run, *answers: dict) -> None:
    """The answers of the first positions; all are of one attempt unless they say otherwise."""
    for position, fields in enumerate(answers, 1):
        latency = fields.pop("latency_ms", None)
        Output.objects.create(run=run, position=position, text="x", latency_ms=latency)
        Answer.objects.create(run=run, position=position, **fields)


def answer_fields(tokens_in=10, tokens_out=2, cost=7, **fields) -> dict:
    tokens = {"tokens_in": tokens_in, "tokens_out": tokens_out, "tokens_cached": 4, "tokens_reasoning": 1}
    return tokens | {"cost": cost} | fields


def test_tokens_calls_and_cost_are_added_up(run):
    answered(run, answer_fields(), answer_fields(30, 5, 11, attempts=3))

    run_usage = usage.of_run(run)

    assert (run_usage.answers, run_usage.calls, run_usage.cached) == (2, 4, 0)
    assert (
        run_usage.tokens_in,
        run_usage.tokens_out,
        run_usage.tokens_cached,
        run_usage.tokens_reasoning,
    ) == (40, 7, 8, 2)
    assert (run_usage.cost, run_usage.without_tokens, run_usage.without_cost) == (18, 0, 0)


def test_an_answer_from_the_cache_adds_nothing(run):
    answered(run, answer_fields(), answer_fields(attempts=0))

    run_usage = usage.of_run(run)

    assert (run_usage.answers, run_usage.cached, run_usage.calls, run_usage.tokens_in, run_usage.cost) == (
        2,
        1,
        1,
        10,
        7,
    )


def test_a_run_that_was_answered_from_the_cache_alone_took_nothing(run):
    answered(run, answer_fields(attempts=0))

    assert (usage.of_run(run).tokens_in, usage.of_run(run).cost) == (0, 0)


def test_unknown_figures_are_counted_and_never_zero(run):
    answered(run, answer_fields(), answer_fields(cost=None), {"cost": None})

    run_usage = usage.of_run(run)

    assert (run_usage.tokens_in, run_usage.cost, run_usage.without_tokens, run_usage.without_cost) == (
        20,
        7,
        1,
        2,
    )


def test_without_any_price_the_cost_is_unknown(run):
    answered(run, answer_fields(cost=None), answer_fields(cost=None))

    assert GenerationUsageSerializer(usage.of_run(run)).data["cost"] is None


def test_percentiles_are_latencies_that_were_measured(run):
    answered(run, *(answer_fields(latency_ms=ms) for ms in (900, 100, 200)))

    assert GenerationUsageSerializer(usage.of_run(run)).data["latency_ms"] == {"p50": 200, "p95": 900}


def test_uploaded_outputs_took_nothing_that_is_known(project):
    assert usage.of_run(factories.run(factories.experiment(project), start=False)) is None


def test_stored_figures_equal_computed_ones(run):
    answered(run, answer_fields(latency_ms=5))
    computed = usage.of_run(run)

    usage.keep(run)
    Answer.objects.all().delete()

    assert usage.of_run(Run.objects.get(pk=run.pk)) == computed


def test_a_large_running_run_is_not_summed_every_second(run, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(usage, "MANY", 1)
    monkeypatch.setattr(usage, "EVERY", 1e9)
    usage.process_cache.clear()
    answered(run, answer_fields(), answer_fields())
    run.output_count, run.status = 2, Run.Status.GENERATING
    first = usage.of_run(run)

    with django_assert_num_queries(0):
        again = usage.of_run(run)

    assert again == first


def test_the_api_tells_amounts_as_texts(project, run):
    answered(run, answer_fields(cost=1_500_000_000_000), answer_fields(cost=20_000_000_000))

    usage_in_api = program(project, "read").get(f"runs/{run.pk}/").json()["usage"]

    assert (usage_in_api["cost"], usage_in_api["tokens_in"]) == ("1.52", 20)
    assert usage_in_api["unknown"] == {"tokens": 0, "cost": 0}


@pytest.fixture
def generated(project, run) -> Run:
    """A run that a launch made, with two answers."""
    budget = Budget.objects.create(project=project)
    launch = Launch.objects.create(project=project, experiment=run.experiment, budget=budget, seed=1, size=3)
    Generation.objects.create(run=run, launch=launch, model="m")
    answered(run, answer_fields(cost=1_500_000_000_000, latency_ms=7), {"cost": None, "attempts": 0})
    return run


def test_a_table_has_the_usage_of_each_answer(generated):
    rows = list(csv.DictReader(io.StringIO(b"".join(exports.of_run(generated, "csv")).decode())))

    names = ("latency_ms", "tokens_in", "tokens_out", "cost", "cached")
    assert [[row[name] for name in names] for row in rows] == [
        ["7", "10", "2", "1.50", "False"],
        ["", "", "", "", "True"],
        ["", "", "", "", ""],
    ]


def test_json_lines_have_the_usage_of_each_answer(generated):
    first, *_ = b"".join(exports.of_run(generated, "jsonl")).splitlines()

    assert json.loads(first)["usage"] == {
        "latency_ms": 7,
        "tokens_in": 10,
        "tokens_out": 2,
        "cost": "1.50",
        "cached": False,
    }


def test_exports_name_the_failure_of_an_answer(generated):
    failure = "cut: The answer was cut at its length limit."
    Output.objects.filter(run=generated, position=2).update(text=None, error=failure)

    rows = csv.DictReader(io.StringIO(b"".join(exports.of_run(generated, "csv")).decode()))
    lines = map(json.loads, b"".join(exports.of_run(generated, "jsonl")).splitlines())

    assert [row["error"] for row in rows] == ["", failure, ""]
    assert [line.get("error") for line in lines] == [None, failure, None]


def test_an_export_of_uploaded_outputs_has_no_usage_columns(project):
    run = factories.run(factories.experiment(project), start=False)

    [header, *_] = b"".join(exports.of_run(run, "csv")).decode().splitlines()

    assert "cost" not in header
