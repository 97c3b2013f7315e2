"""The pytest plugin: marked tests become one run, by whichever workers, and without a key they just run."""

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from evaluations.models import Dataset, Experiment, Run
from evaluations.scoring import scoring
from tests import factories, processes
from tests.client.test_evaluate import means_of
from tests.processes import ROOT

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

TESTS = """
import pytest

SQUARES = {n: n * n for n in range(1, 13)} | {7: 50}

@pytest.mark.evalsite(dataset="squares", evaluators=["exact_match"])
@pytest.mark.parametrize(("n", "expected"), [(n, n * n) for n in range(1, 13)], ids=lambda value: f"v{value}")
def test_square(case, n, expected):
    if n == 11:
        raise ConnectionError("the tool is away")
    answer = case.output(SQUARES[n], tokens=3)
    case.score("digits", len(str(answer)), note="of the answer")
    assert answer == expected

def test_of_another_kind():
    pass
"""

PLUGINS = ("-p", "xdist", "-p", "evalsite_client.pytest_plugin")
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # ours take a second of every process, and users have others


@pytest.fixture
def run_tests(tmp_path):
    """`run_tests(env, *options)` runs pytest with the plugin on `test_squares.py`."""

    def run(env: dict[str, str], *options: str, source: str = TESTS) -> subprocess.CompletedProcess:
        (tmp_path / "test_squares.py").write_text(source)
        command = [sys.executable, "-m", "pytest", *PLUGINS]
        command += [
            "-c",
            os.devnull,
            "--rootdir",
            str(tmp_path),
            "-q",
            "-p",
            "no:cacheprovider",
            "test_squares.py",
            *options,
        ]
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("EVALSITE", "PYTEST", "DJANGO"))
        }
        env = (
            clean
            | ALONE
            | {"PYTHONPATH": str(ROOT / "client"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
            | env
        )
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)

    return run


def score_all() -> None:
    while scoring.work(seconds=5):
        pass


@pytest.mark.parametrize("options", [[], ["-n", "3"]], ids=["one process", "xdist"])
def test_the_cases_of_a_test_are_one_run(run_tests, shell, options):
    done = run_tests(shell | {"GITHUB_SHA": "8f9de61"}, "--evalsite-variant", "commit 1", *options)
    score_all()

    assert done.returncode == 1, done.stdout + done.stderr
    run = Run.objects.get()
    assert (run.variant, run.about["commit"], run.experiment.dataset.name) == (
        "commit 1",
        "8f9de61",
        "squares",
    )
    figures = means_of(run.pk)
    assert figures["pass"] == (pytest.approx(10 / 11), 11)
    assert figures["digits"][1] == 11
    assert figures["Exact match"] == (pytest.approx(10 / 12), 12)  # a missing output is a miss
    assert f"/runs/{run.pk}/" in done.stdout


def test_the_id_of_the_parameters_is_the_identity_and_not_the_position(run_tests, shell, worker):
    run_tests(shell)
    shuffled = TESTS.replace("range(1, 13)], ids", "range(13, 0, -1)], ids")
    run_tests(shell, source=shuffled)
    processes.wait_until(
        lambda: {run.status for run in Run.objects.all()} == {"completed"}, "both runs are scored", 60
    )

    first, second = Run.objects.order_by("pk")
    assert first.experiment_id == second.experiment_id
    dataset = Dataset.objects.get()
    assert (dataset.name, dataset.version) == ("squares", 2)
    assert means_of(first.pk)["pass"] == (pytest.approx(10 / 11), 11)
    assert means_of(second.pk)["pass"][1] == 11
    assert {"v1-v1", "v13-v169"} <= set(
        dataset.examples.filter(removed_in=None).values_list("key", flat=True)
    )


def test_record_only_leaves_the_verdict_to_the_gate_but_not_the_crash(run_tests, shell):
    without_crash = TESTS.replace("n == 11", "n == 99")

    recorded = run_tests(shell, "--evalsite-record-only", source=without_crash)
    crashed = run_tests(shell, "--evalsite-record-only")

    assert (recorded.returncode, "1 xfailed" in recorded.stdout) == (0, True), recorded.stdout
    assert crashed.returncode == 1


def test_without_a_key_everything_runs_and_one_line_says_so(run_tests, tmp_path):
    done = run_tests({"HOME": str(tmp_path)}, "-n", "2")

    assert "11 passed" in done.stdout
    assert done.stdout.count("Nothing is recorded") == 1
    assert not Run.objects.exists()


@pytest.mark.parametrize("options", [["-k", "v3"], ["--deselect", "test_squares.py::test_square[v1-v1]"]])
def test_some_of_the_cases_are_not_recorded(run_tests, shell, options):
    done = run_tests(shell, *options)

    assert "only some of its cases ran" in done.stdout
    assert not Run.objects.exists()


def test_a_site_that_cannot_be_reached_fails_the_session(run_tests, shell):
    passing = TESTS.replace("n == 11", "n == 99").replace("| {7: 50}", "")

    done = run_tests(shell | {"EVALSITE_URL": "http://127.0.0.1:9"}, source=passing)

    assert (done.returncode, "Not recorded: No answer" in done.stdout) == (1, True)


def test_junit_has_the_example_and_its_scores(run_tests, shell, tmp_path):
    run_tests(shell, "--junitxml", "tests.xml")

    case = ElementTree.parse(tmp_path / "tests.xml").find(".//testcase[@name='test_square[v7-v49]']")
    properties = {entry.get("name"): entry.get("value") for entry in case.iter("property")}
    assert properties == {"evalsite_example": "v7-v49", "evalsite_digits": "2.0", "evalsite_pass": "False"}


def test_each_repetition_is_a_run_of_the_variant(run_tests, shell):
    source = TESTS.replace('evaluators=["exact_match"]', 'evaluators=["exact_match"], repetitions=2')

    run_tests(shell, "--evalsite-variant", "twice", "-n", "2", source=source)
    run_tests(shell, "--evalsite-variant", "thrice", "--evalsite-repetitions", "3", source=source)
    score_all()

    runs = Run.objects.order_by("pk")
    assert [run.variant for run in runs] == ["twice"] * 2 + ["thrice"] * 3
    assert [means_of(run.pk)["pass"] for run in runs] == [(pytest.approx(10 / 11), 11)] * 5
    keys = set(Dataset.objects.get().examples.values_list("key", flat=True))
    assert keys == {f"v{n}-v{n * n}" for n in range(1, 13)}


KILLED = TESTS.replace(
    "    if n == 11:",
    """    import os, signal
    with open("calls", "a") as calls:
        calls.write(f"{n} ")
    if n == 9 and not os.path.exists("again"):
        os.kill(int(os.environ.get("TO_KILL") or os.getppid()), signal.SIGKILL)
        open("again", "w").close()
    if n == 11:""",
)


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["one process", "xdist"])
def test_a_killed_session_keeps_its_cases_and_is_resumed_by_key(run_tests, shell, tmp_path, options):
    kill_self = KILLED.replace('int(os.environ.get("TO_KILL") or os.getppid())', "os.getpid()")
    killed = run_tests(shell, *options, source=KILLED if options else kill_self)
    (tmp_path / "again").touch()
    calls = (tmp_path / "calls").read_text().split()
    [journal] = (tmp_path / "cache" / "evalsite" / "evaluations").iterdir()
    kept = {json.loads(line)["record"]["example"]["inputs"]["n"] for line in journal.read_text().splitlines()}

    looked = run_tests(shell, "--collect-only", source=KILLED if options else kill_self)
    resumed = run_tests(shell, "--evalsite-resume", *options, source=KILLED if options else kill_self)
    score_all()

    assert killed.returncode == -9
    assert "--evalsite-resume" in looked.stdout
    assert resumed.returncode == 1, resumed.stdout + resumed.stderr
    again = (tmp_path / "calls").read_text().split()[len(calls) :]
    assert kept
    assert {str(n) for n in range(1, 13) if n not in kept} == set(again)
    assert means_of(Run.objects.get().pk)["pass"] == (pytest.approx(10 / 11), 11)
    assert not list((tmp_path / "cache" / "evalsite" / "evaluations").iterdir())


def test_cases_are_kept_until_the_site_can_be_reached_again(run_tests, shell, tmp_path):
    away = run_tests(shell | {"EVALSITE_KEY": "evk_wrong"})
    back = run_tests(shell, "--evalsite-resume")

    assert "The cases are kept" in away.stdout
    assert (back.returncode, "Cases of the stopped session had failed" in back.stdout) == (1, True), (
        back.stdout
    )
    assert Run.objects.get().output_count == 11


ON_THE_SITE = """
import pytest

@pytest.mark.evalsite(dataset="capitals", variant="from the site")
def test_capital(case):
    city = case.output("Paris" if case.example.inputs["question"] == "q1" else "Rome")
    assert city == case.example.expected
"""


def test_a_test_without_parameters_runs_on_the_examples_of_the_site(run_tests, shell, project, tmp_path):
    factories.dataset(project)

    done = run_tests(shell, "-n", "2", source=ON_THE_SITE)
    nobody = run_tests({"HOME": str(tmp_path)}, source=ON_THE_SITE)
    score_all()

    run = Run.objects.get()
    assert "2 passed" in done.stdout
    assert (run.variant, means_of(run.pk)["pass"]) == ("from the site", (pytest.approx(2 / 3), 3))
    assert (nobody.returncode, "1 skipped" in nobody.stdout) == (0, True)


MISUSED = """
import pytest

def test_unmarked(case):
    pass
"""


def test_the_fixture_says_what_it_is_for(run_tests, shell):
    done = run_tests(shell, source=MISUSED)

    assert "`case` is for parametrised tests with @pytest.mark.evalsite" in done.stdout


# ---- the workflow of docs/ci.md ------------------------------------------------------------------------------


PAGE = (ROOT / "docs" / "ci.md").read_text().partition("## pytest\n")[2]
STEPS = yaml.safe_load(PAGE.partition("```yaml\n")[2].partition("```")[0])["jobs"]["evaluate"]["steps"]
COMMANDS = [step["run"] for step in STEPS if "run" in step and "pip install" not in step["run"]]


@pytest.mark.parametrize(("wrong", "code"), [(0, 0), (6, 1)])
def test_the_workflow_records_and_then_decides(project, shell, worker, tmp_path, wrong, code):
    rows = [
        {"key": f"v{n}-v{n * n}", "inputs": {"n": n}, "reference": {"expected": n * n}} for n in range(1, 41)
    ]
    dataset = datasets.create(project, None, "squares", rows)
    evaluator = factories.evaluator(project, "exact_match", "Exact match")
    experiment = experiments.create(project, None, "squares", dataset, [evaluator])
    owned.save_named(experiment)
    baseline = factories.run(experiment, [str(n * n) for n in range(1, 41)], "baseline")
    criterion = {"rule": "no_new_failures", "evaluator": evaluator.pk}
    processes.wait_until(
        lambda: Run.objects.get(pk=baseline.pk).status == "completed", "the baseline is scored", 60
    )
    baseline.refresh_from_db()
    gate = gates.create(project, None, "Hold the line", Plan(baseline, [criterion]))
    (tmp_path / "gate.hash").write_text(gate.hash)
    (tmp_path / "tests").mkdir()
    source = TESTS.replace("n == 11", "n == 99").replace("range(1, 13)", "range(1, 41)")
    (tmp_path / "tests" / "test_squares.py").write_text(
        source.replace("| {7: 50}", f"| dict.fromkeys(range(1, {wrong + 1}), 0)")
    )
    env = shell | ALONE | {"VARIANT": "pr-1", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env["PYTEST_ADDOPTS"] = f"{' '.join(PLUGINS)} -c {os.devnull} --rootdir {tmp_path} -n 2"
    (tmp_path / "bin" / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n')
    (tmp_path / "bin" / "pytest").chmod(0o755)

    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(COMMANDS)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert (tmp_path / "gate.xml").exists()
    assert Experiment.objects.count() == 1
