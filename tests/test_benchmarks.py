"""Benchmarks run, and measure what they claim."""

import csv
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from benchmarks import file_speed, floor, growth, kind_speed, page_speed
from benchmarks.bare_calls import CALLS
from benchmarks.management.commands.benchmark import KINDS, write_examples
from evaluations import kinds
from evaluations.access import api_keys
from evaluations.experiments import experiments
from evaluations.models import Scope
from tests import factories

TEXT_KINDS = list(CALLS)


def test_every_text_kind_is_measured_on_short_and_on_long_texts(monkeypatch):
    monkeypatch.setattr(kind_speed, "SECONDS", 0)
    call_command("benchmark", "evaluators", short=20, long=1, stdout=(output := StringIO()))

    table, calls, verdict = output.getvalue().split("\n\n")
    head, *lines = table.splitlines()
    measured = [(key, length) for key, length, *_ in map(str.split, lines)]
    assert "ratio" in head
    assert measured == [(key, length) for length in ("120", "10,000") for key in TEXT_KINDS]
    assert [line.split()[0] for line in calls.splitlines()[1:]] == TEXT_KINDS
    assert verdict.startswith("Below 80% of the bare call: ")


def test_every_kind_is_measured_for_a_million():
    call_command("benchmark", "kinds", short=2, stdout=(output := StringIO()))

    _, *lines = output.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == list(kinds.CATALOGUE)


@pytest.mark.parametrize(("ratio", "names"), [(0.79, "contains (120 characters, 0.79)"), (0.8, "none")])
def test_the_last_line_names_the_kinds_below_four_fifths(ratio, names):
    *_, last = kind_speed.report([kind_speed.Speed("contains", 120, 10, 100.0, 100.0, ratio)])

    assert last.strip() == f"Below 80% of the bare call: {names}"


def test_simulated_launches_say_how_they_ended():
    call_command("benchmark", "stops", launches=2, size=100, stdout=(output := StringIO()))

    lines = output.getvalue().splitlines()
    assert lines[0].startswith("no difference, pass or fail ")
    assert all("of the calls saved" in line for line in lines)


@pytest.mark.parametrize("shape", file_speed.SHAPES)
def test_all_measured_ways_read_and_write_the_same_rows(shape):
    sample = file_speed.rows(300, shape)
    tasks = file_speed.tasks(sample)

    objects = [dict(zip(file_speed.HEADER, row, strict=True)) for row in sample]
    for way in tasks["read CSV"].values():
        assert way() == sample
    for way in tasks["read a JSON array"].values():
        assert way() == objects
    for way in tasks["write CSV"].values():
        assert [*csv.reader(StringIO(way().decode(), newline=""))] == [[*file_speed.HEADER], *sample]


@pytest.mark.parametrize("key", TEXT_KINDS)
def test_a_bare_call_gives_the_numbers_of_its_kind(key):
    pairs = [
        ("the cat sat 1.50", "the cat lay 1.5"),
        ("Ab 3 cd 4.0", "ab 3 dc 4.0"),
        ("same 1.0", "same 1.0"),
    ]
    if key.startswith("json_"):
        pairs = [('{"a": [1, 2.0, "x"]}', '{"a": [1, 2], "b": 0}'), ("[1, 2]", "[1, 3, 4]"), ("[]", "[ ]")]
    actual, expected = map(list, zip(*pairs, strict=True))
    kind = kinds.get(key)

    kind_scores = kind.evaluate(
        kind.parse(kind_speed.CONFIGS.get(key, {})),
        {"actual": kinds.Column(actual), "expected": kinds.Column(expected)},
    )

    assert kind_scores.values.tolist() == pytest.approx(
        [float(value) for value in CALLS[key](actual, expected)]
    )


@pytest.mark.django_db
def test_every_page_and_export_that_is_measured_answers(project, alice, client):
    experiment = factories.experiment(project, *KINDS)
    run = factories.scored_run(experiment)
    evaluators = [version.evaluator_id for version in experiments.versions_of(experiment)]
    stock = page_speed.Stock(3, experiment.dataset_id, experiment.pk, run.pk, evaluators)
    key = api_keys.create_key(project, None, "reader", Scope.READ)[1]
    client.force_login(alice)

    pages = [client.get(stock.address(address_of)).status_code for address_of in page_speed.PAGES.values()]
    exports = [
        client.get(stock.address(address_of) + kind, headers={"Authorization": f"Bearer {key}"}).status_code
        for address_of in page_speed.EXPORTS.values()
        for kind in page_speed.FORMATS
    ]

    assert set(pages) == set(exports) == {200}


def test_growth_divides_each_stage_and_the_sums_of_two_jobs():
    small = [growth.Stage("upload", 1.0, 0.5, {}), growth.Stage("import", 2.0, 2.0, {})]
    large = [growth.Stage("upload", 11.0, 4.0, {}), growth.Stage("import", 19.0, 21.0, {})]

    _, *lines = growth.ratios(small, large)

    assert [line.split() for line in lines] == [
        ["upload", "11.0", "8.0"],
        ["import", "9.5", "10.5"],
        ["whole", "10.0", "10.0"],
    ]


def test_any_other_word_is_refused():
    with pytest.raises((CommandError, ValueError)):
        call_command("benchmark", "everything")


@pytest.mark.django_db
def test_the_floor_times_every_stage_and_leaves_no_table(tmp_path):
    write_examples(tmp_path / "examples.csv", 50, seed=1)

    stages = floor.seconds(tmp_path / "examples.csv", tmp_path)

    assert list(stages) == ["parse", "insert", "read", "score"]
    assert all(stage > 0 for stage in stages.values())
    assert floor.TABLE not in connection.introspection.table_names()
