"""Help, version and errors of the command line."""

import json
import os
import subprocess
import sys

import pytest

from evalsite_client import __version__, lines, main, settings
from tests.client.scripted import Answer, refusal
from tests.processes import ROOT

PROJECT = {"id": 1, "name": "Default", "key": {"name": "laptop", "scope": "run"}}


def test_help_names_every_verb(evalsite):
    shown = evalsite("--help").stdout

    assert [verb for verb in main.VERBS if f"\n  {verb} " not in shown] == []


def test_help_loads_neither_http_nor_a_verb():
    """HTTP and TLS take longer to import than everything else together."""
    script = (
        "import sys; from evalsite_client import main; main._code(['--help']); "
        "print([name for name in sys.modules if name in ('httpx2', 'ssl', 'asyncio') or '_verb' in name])"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT / "client")}

    shown = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60
    ).stdout

    assert shown.splitlines()[-1] == "[]"


def test_the_version_is_that_of_the_package(evalsite):
    assert evalsite("--version").stdout == f"evalsite, version {__version__}\n"


@pytest.mark.parametrize("verb", main.VERBS)
def test_every_verb_has_help(evalsite, verb):
    shown = evalsite(verb, "--help")

    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"evalsite {verb}" in shown.stdout


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["compare", "1"], ["wait", "run", "x"], ["upload", "absent.csv"]]
)
def test_a_mistake_in_the_command_is_no_verdict(evalsite, arguments):
    """The exit codes 1, 2 and 3 are verdicts."""
    assert evalsite(*arguments).returncode == 64


def test_an_argument_that_is_no_text_is_named_with_a_remedy(evalsite):
    ended = evalsite("compare", "gr\udcc3\udcb6\udcdfe", 2)

    assert ended.returncode == 64
    assert "PYTHONUTF8=1" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_missing_settings_are_an_error_with_a_remedy(evalsite):
    ended = evalsite("compare", 1, 2)

    assert ended.returncode == 64
    assert "evalsite login" in ended.stderr


def test_a_refusal_is_one_line_on_standard_error(evalsite, scripted):
    server = scripted(refusal(404, "not_found", hint="Look at the id."))

    ended = evalsite("compare", 1, 2, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert (ended.returncode, ended.stdout) == (5, "")
    assert ended.stderr == "Error: It is not_found. Look at the id. [not_found]\n"


def test_a_refusal_as_json_has_the_shape_of_the_api(evalsite, scripted):
    server = scripted(refusal(404, "not_found", where={"field": "runs"}))

    ended = evalsite("compare", 1, 2, "--json", EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert json.loads(ended.stderr)["error"] == {
        "code": "not_found",
        "message": "It is not_found.",
        "where": {"field": "runs"},
    }


def test_a_name_cannot_command_the_terminal(evalsite, scripted):
    server = scripted(
        Answer({"sentence": "\x1b]0;owned\x07v2 is better\u202e.", "entries": [], "warnings": []})
    )

    ended = evalsite("compare", 1, 2, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert ended.stdout == "�]0;owned�v2 is better�.\n"


def test_a_run_that_failed_has_a_code_of_its_own(evalsite, scripted):
    run = {
        "id": 3,
        "status": "failed",
        "progress": {"done": 1, "total": 9},
        "error": {"message": "No server."},
    }
    server = scripted(Answer(run))

    ended = evalsite("wait", "run", 3, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert ended.returncode == 4
    assert "The run 3 failed. No server." in ended.stderr


def test_a_file_that_failed_says_what_to_do_and_how_many_problems_it_has(evalsite, scripted):
    dataset = {
        "id": 3,
        "status": "failed",
        "error_count": 31,
        "errors": [
            {"message": "Line 2: 5 fields where the header has 1 column.", "hint": "Remove the title."}
        ],
    }
    server = scripted(Answer(dataset))

    ended = evalsite("wait", "dataset", 3, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert ended.returncode == 4
    assert (
        "The dataset 3 failed. Line 2: 5 fields where the header has 1 column. Remove the title. "
        "There are 30 more problems." in ended.stderr
    )


def test_a_warning_says_what_to_do():
    dataset = {
        "id": 3,
        "name": "a",
        "status": "ready",
        "example_count": 2,
        "warnings": [
            {"message": "All are metadata.", "hint": "Send a mapping."},
            {"message": "Some repeat."},
        ],
    }

    assert [*lines.dataset(dataset)][1:] == [
        "Warning: All are metadata. Send a mapping.",
        "Warning: Some repeat.",
    ]


def test_a_timeout_has_a_code_of_its_own(evalsite, scripted):
    server = scripted(Answer({"id": 3, "status": "running", "progress": {"done": 1, "total": 9}}))

    ended = evalsite("wait", "run", 3, "--timeout", 0, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert ended.returncode == 7


def test_login_stores_tested_settings(evalsite, scripted):
    server = scripted(Answer(PROJECT))

    ended = evalsite("login", "--url", f"{server.url}/", stdin="evk_typed\n")

    assert ended.returncode == 0
    assert settings.load() == settings.Settings(server.url, "evk_typed")
    assert server.sent[0].headers["Authorization"] == "Bearer evk_typed"
    assert "evk_typed" not in ended.stdout + ended.stderr


def test_a_login_that_is_refused_stores_nothing(evalsite, scripted):
    server = scripted(refusal(401, "not_authenticated"))

    assert evalsite("login", "--url", server.url, stdin="evk_wrong\n").returncode == 5
    assert not settings.file().exists()


def test_a_reader_that_has_enough_is_no_verdict_and_no_trace(evalsite, scripted, tmp_path):
    run = {
        "id": 3,
        "variant": "v" * 200_000,
        "status": "completed",
        "progress": {"done": 1, "total": 1},
        "scorings": [],
    }
    server = scripted(Answer(run))
    command = [sys.executable, "-m", "evalsite_client", "wait", "run", "3"]
    env = os.environ | {
        "PYTHONPATH": str(ROOT / "client"),
        "EVALSITE_URL": server.url,
        "EVALSITE_KEY": "evk_x",
    }

    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        errors = process.stderr.read()

    assert (process.returncode, b"Traceback" in errors) == (141, False)
