"""docs/evaluate.md and the programs in client/examples work as they are."""

import json
import os
import subprocess
import sys

import pytest

from evaluations.models import Run
from tests.client.test_evaluate import means_of
from tests.clients.chat import reply
from tests.processes import ROOT
from tests.site import shell_examples

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]
EXAMPLES = ROOT / "client" / "examples"
# By program: the mean and number of each score that it ends with.
ENDS = {
    "plain_function.py": {"distance": (5.0, 20), "Exact match": (0.5, 20)},
    "agent_with_tools.py": {"asks_about_the_city": (1.0, 3), "answers_right": (1.0, 3)},
    "rag.py": {"reciprocal_rank": (1.0, 3), "grounded": (1.0, 3), "right": (1.0, 3)},
    "openai_client.py": {"Exact match": (0.5, 2)},
}


def test_every_example_of_the_page_prints_what_it_shows(shell, worker, tmp_path):
    python = tmp_path / "bin" / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    env = shell | {
        "PYTEST_ADDOPTS": f"-p no:django -p evalsite_client.pytest_plugin --rootdir {tmp_path} -c {os.devnull}"
    }
    env["XDG_CACHE_HOME"] = str(tmp_path / "cache")

    differing = shell_examples.run((ROOT / "docs" / "evaluate.md").read_text(), "bash", tmp_path, **env)

    assert differing == []


@pytest.mark.parametrize("program", ENDS)
def test_a_program_runs_as_it_is(program, shell, worker, serve, tmp_path):
    model = serve(lambda request: reply("Lima"))
    env = os.environ | shell | {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{model.url}/v1"}
    env["XDG_CACHE_HOME"] = str(tmp_path / "cache")

    done = subprocess.run(
        [sys.executable, EXAMPLES / program],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    run = Run.objects.get()
    assert (run.status, means_of(run.pk)) == ("completed", ENDS[program])


def test_the_notebook_runs_from_its_first_cell_to_its_last(live_server, worker, key, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALSITE_URL", live_server.url)
    monkeypatch.setenv("EVALSITE_KEY", key)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cells = json.loads((EXAMPLES / "evaluate_a_function.ipynb").read_text())["cells"]
    names: dict = {}

    for number, cell in enumerate(cells):
        assert cell.get("outputs", []) == []
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    names["site"].close()

    first, second = Run.objects.order_by("pk")
    assert means_of(second.pk) == {"is_a_month": (1.0, 28), "Exact match": (1.0, 28)}
    assert means_of(first.pk)["is_a_month"][0] < 1
    assert "second" in names["compared"]["sentence"]
