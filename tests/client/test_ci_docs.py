"""The commands of the pipelines in docs/ci.md work as described, against a live server."""

import re
import subprocess
from xml.etree import ElementTree

import pytest
import yaml

from evaluations import owned
from evaluations.experiments import experiments
from evaluations.gates import gates
from evaluations.gates.gates import Plan
from tests import factories
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text()
GITHUB, GITLAB, _ = (  # tests/client/test_pytest_plugin.py has the last
    yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)
STEPS = [step["run"] for step in GITHUB["jobs"]["evaluate"]["steps"] if "run" in step]
PIPELINES = {"GitHub Actions": STEPS, "GitLab CI": GITLAB["evaluate"]["script"]}
pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def gate(project):
    """A gate on the experiment of the page, whose baseline has every answer right."""
    experiment = factories.experiment(project, "exact_match", references=[f"city {n}" for n in range(40)])
    experiment.name = "capitals"
    owned.save_named(experiment)
    baseline = factories.scored_run(experiment, [f"city {n}" for n in range(40)], "baseline")
    criteria = [
        {"rule": "not_worse", "evaluator": experiment.primary_id, "margin": 0.2},
        {"rule": "answered", "value": 0.9},
    ]
    return gates.create(project, None, "Hold the line", Plan(baseline, criteria))


def answers(right: int) -> str:
    """A program that answers this number of the 40 questions right."""
    rows = [f"k{n + 1},{'city' if n < right else 'town'} {n}" for n in range(40)]
    return f"print({chr(10).join(['id,output', *rows])!r})"


def follow(commands, folder, shell, hash, right) -> subprocess.CompletedProcess:
    """Run the commands of a pipeline until the first one fails; those of pip are tested in test_wheel.py."""
    (folder / "answer_questions.py").write_text(answers(right))
    (folder / "questions.csv").write_text("")
    (folder / "gate.hash").write_text(f"{hash}\n")
    script = "\n".join(command for command in commands if not command.startswith("pip install"))
    env = shell | {"VARIANT": f"pr-{right}"}
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_stops_by_the_verdict(name, gate, shell, worker, tmp_path):
    good = follow(PIPELINES[name], tmp_path, shell, gate.hash, right=40)
    changed = follow(PIPELINES[name], tmp_path, shell, "another", right=39)
    bad = follow(PIPELINES[name], tmp_path, shell, gate.hash, right=10)

    assert [ended.returncode for ended in (good, bad, changed)] == [0, 1, 3], good.stderr + bad.stderr
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert (tmp_path / "gate.md").read_text().startswith("<!-- evalsite-gate:")
    assert [run.variant for run in experiments.shown_runs(gate.baseline.experiment)] == ["baseline"]
