"""Examples of a newer dataset version count nowhere until a run was asked them."""

import csv
import io

import pytest
from django.test import Client

from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.experiments import experiments, runs
from evaluations.gates import gates
from evaluations.gates.gates import Plan as GatePlan
from evaluations.launches import estimates, launches, order
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Experiment, Output, Run, Scope
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.reports import page, report
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import coverage, scoring
from tests import factories
from tests.api.conftest import Program, program

pytestmark = pytest.mark.django_db
SIZE, ADDED = 40, 12
SENTENCE = "12 examples were added or rewritten after version 1; no run has answered them"


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * SIZE)


@pytest.fixture
def old(experiment) -> Run:
    return factories.scored_run(experiment, ["Paris"] * 20 + ["Rome"] * 20, "old")


@pytest.fixture
def new(experiment) -> Run:
    return factories.scored_run(experiment, ["Paris"] * 38 + ["Rome"] * 2, "new")


@pytest.fixture
def writer(project) -> Program:
    return program(project, Scope.WRITE)


def grow(experiment: Experiment) -> None:
    """Add examples to the dataset, and move the experiment to the version that has them."""
    added = [
        {"key": f"a{n}", "inputs": {"question": f"q{n}"}, "reference": {"answer": "Paris"}}
        for n in range(ADDED)
    ]
    datasets.append(experiment.dataset, None, added)
    move(experiment)


def move(experiment: Experiment, number: int | None = None) -> None:
    experiment.refresh_from_db()
    experiments.use_dataset_version(experiment, number)
    factories.copy_outputs()
    score()


def score() -> None:
    while scoring.work(seconds=10):
        pass


def compared(*of: Run) -> Comparison:
    fresh = list(Run.objects.filter(pk__in=[run.pk for run in of]).order_by("pk"))
    return Comparison(fresh, fresh[0], scorings_by_run(fresh))


def figures(*of: Run) -> tuple[object, ...]:
    comparison = compared(*of)
    [paired] = [entry.paired for entry in comparison.figures.entries]
    return (
        comparison.sentence.text,
        paired.n,
        paired.mean,
        paired.baseline_mean,
        paired.interval,
        paired.verdict,
    )


# ---- excluded ------------------------------------------------------------------------------------------------


def test_the_verdict_stays_when_the_dataset_grows(experiment, old, new):
    before = figures(old, new)

    grow(experiment)

    assert figures(old, new) == before


def test_api_report_and_export_say_the_same(experiment, old, new, writer, alice):
    grow(experiment)
    comparison = compared(old, new)
    answer = writer.get(f"comparisons/?runs={old.pk},{new.pk}").json()
    client = Client()
    client.force_login(alice)
    exported = client.get(f"/compare/export/?runs={old.pk},{new.pk}")

    warnings = {warning["code"]: warning["message"] for warning in answer["warnings"]}
    row, *_ = csv.DictReader(io.StringIO(b"".join(exported).decode("utf-8-sig")))
    assert SENTENCE in warnings["added_examples"]
    assert answer["entries"][0]["n"] == SIZE
    assert SENTENCE in page.html(report.report(comparison))
    assert int(row["n"]) == SIZE


def test_a_gate_decides_as_before(experiment, project, old, new):
    criteria = [
        {
            "rule": "not_worse",
            "evaluator": experiments.versions_of(experiment)[0].evaluator_id,
            "margin": 0.02,
        }
    ]
    before = gates.check(gates.create(project, None, "before", GatePlan(old, criteria)), new)

    grow(experiment)

    fresh_old, fresh_new = Run.objects.order_by("pk")
    after = gates.check(gates.create(project, None, "after", GatePlan(fresh_old, criteria)), fresh_new)
    assert (after.verdict, after.results) == (before.verdict, before.results)


def test_the_page_names_them_and_how_to_answer(experiment, old, new, alice):
    grow(experiment)
    client = Client()
    client.force_login(alice)

    html = client.get(f"/experiments/{experiment.pk}/").content.decode()

    assert SENTENCE in html.replace("\n", " ")
    assert f"/api/v1/runs/{old.pk}/outputs/" in html
    assert "Back to v1" in html


def test_a_new_question_is_left_out_like_an_added_example(experiment, old, new):
    datasets.edit(experiment.dataset, None, 1, {"inputs": {"question": "Where is the Rhône?"}})

    move(experiment)

    old.refresh_from_db()
    assert coverage.count(old) == SIZE - 1
    assert figures(old, new)[1] == SIZE - 1


# ---- and the way back ----------------------------------------------------------------------------------------


def test_the_way_back_restores_every_figure(experiment, old, new):
    Output.objects.filter(run=new, position=3).delete()
    runs.score(Run.objects.get(pk=new.pk))
    score()
    before = figures(old, new)
    datasets.edit(experiment.dataset, None, 1, {"inputs": {"question": "Where is the Rhône?"}})
    datasets.edit(experiment.dataset, None, 2, {"metadata": {"topic": "rivers"}})
    datasets.remove(experiment.dataset, None, 3)
    grow(experiment)

    move(experiment, 1)

    assert figures(old, new) == before
    assert set(Run.objects.values_list("asked_rows", "asked_version")) == {(None, None)}


def test_the_page_moves_back_and_undoes_it(experiment, old, alice):
    grow(experiment)
    client = Client()
    client.force_login(alice)

    answer = client.post(f"/experiments/{experiment.pk}/dataset/", {"version": "1"}, follow=True)

    experiment.refresh_from_db()
    assert experiment.dataset_version == 1
    assert f"/experiments/{experiment.pk}/dataset/?version=2" in answer.content.decode()


def test_an_unknown_version_is_named(experiment, writer):
    answer = writer.post(f"experiments/{experiment.pk}/dataset/", {"version": 9})

    assert answer.status_code == 404
    assert "version 9" in answer.json()["error"]["message"]


# ---- answered ------------------------------------------------------------------------------------------------


def test_sent_outputs_count(experiment, old, new, writer):
    grow(experiment)
    outputs = [{"key": f"a{n}", "output": "Paris"} for n in range(ADDED)]

    for run in (old, new):
        assert writer.post(f"runs/{run.pk}/outputs/", {"outputs": outputs}).status_code == 200
    score()

    old.refresh_from_db()
    assert figures(old, new)[1:4] == (SIZE + ADDED, pytest.approx(50 / 52), pytest.approx(32 / 52))
    assert (old.asked_rows, old.asked_version, old.output_count) == (None, None, SIZE + ADDED)


def test_sent_outputs_of_a_part_count_and_the_rest_waits(experiment, old, new):
    grow(experiment)

    runs.add_outputs(old, [{"key": "a0", "output": "Paris"}])
    score()

    old.refresh_from_db()
    assert coverage.count(old) == SIZE + 1
    assert figures(old, new)[1] == SIZE


def test_a_completed_run_takes_no_output_for_an_example_it_was_asked(experiment, old):
    grow(experiment)

    with pytest.raises(Conflict, match="it was asked"):
        runs.add_outputs(old, [{"key": "k1", "output": "Rome"}])
    assert not Output.objects.filter(run=old, text="Rome", position=1).exists()


@pytest.fixture
def launched(experiment, settings) -> Run:
    """A run whose prompt answered “Paris”, without a server."""
    server = factories.connection(experiment.project, settings)
    content = Content([{"role": "user", "content": "{{ question }}"}], "m", connection=server)
    version = prompts.version_of(prompts.create(experiment.project, None, "p", content))
    launch = launches.create(experiment, None, [Variant(version, "prompted")], Plan())
    [run] = Run.objects.filter(generation__launch=launch)
    Output.objects.bulk_create(Output(run=run, position=n, text="Paris") for n in range(1, SIZE + 1))
    queue.cancel_jobs(run)
    Run.objects.filter(pk=run.pk).update(output_count=SIZE)
    runs.score(run)
    score()
    return Run.objects.get(pk=run.pk)


def test_a_prompt_is_asked_the_added_examples_alone(experiment, launched, writer):
    grow(experiment)
    assert estimates.of_added(experiment).calls.low == ADDED

    answer = writer.post(f"experiments/{experiment.pk}/ask/", {"max_calls": 20})

    assert answer.status_code == 202
    launched.refresh_from_db()
    launch = launched.generation.launch
    assert launched.status == Run.Status.GENERATING
    assert launch.budget.max_calls == 20
    assert [count for *_, count in order.unanswered(launched, order.positions(launch))] == [ADDED]
    assert launch.size == SIZE + ADDED


def test_an_estimate_asks_nothing(experiment, launched, writer):
    grow(experiment)

    answer = writer.post(f"experiments/{experiment.pk}/ask/", {"estimate_only": True})

    assert answer.json()["estimate"]["calls"] == {"low": ADDED, "high": ADDED}
    launched.refresh_from_db()
    assert launched.status == Run.Status.COMPLETED


def test_a_retry_before_asking_asks_the_failed_answer_alone(experiment, launched):
    grow(experiment)
    Output.objects.filter(run=launched, position=5).update(text=None, error="timeout: too slow")

    launches.retry(launched)

    launch = Run.objects.get(pk=launched.pk).generation.launch
    assert [count for *_, count in order.unanswered(launched, order.positions(launch))] == [1]


def test_nothing_to_ask_is_said(experiment, launched):
    with pytest.raises(Conflict, match="No run of a prompt waits"):
        launches.ask_added(experiment)
