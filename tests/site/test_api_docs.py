"""Every example of docs/api.md is run, in its order, against a live server, and prints what the page shows."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from evaluations.access import api_keys, permissions
from evaluations.models import Scope
from tests import processes

PAGE = (processes.ROOT / "docs" / "api.md").read_text()
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = {"json", "text"}
MARK = "==== example %d ===="  # Printed after every example, to separate the outputs.
SHELLS = {
    "bash": (["bash", "-e"], "sh", f"\necho; echo '{MARK}'\n"),
    "python": ([sys.executable], "py", f"\nprint('\\n{MARK}', flush=True)\n"),
}


@dataclass
class Example:
    """A block of commands, and their output as the page shows it."""

    code: str
    expected_output: str = "…"


def examples(language: str) -> list[Example]:
    blocks: list[tuple[str, Example]] = []
    for name, text in FENCED.findall(PAGE):
        if name in SHOWN:
            blocks[-1][1].expected_output = text
        else:
            blocks.append((name, Example(text)))
    return [example for name, example in blocks if name == language]


def pattern(output: str) -> str:
    """The output that the page shows, with `…` for anything; white space is the page's own."""
    return ".*?".join(re.escape("".join(part.split())) for part in output.split("…"))


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", SHELLS)
def test_every_example_prints_what_the_page_shows(language, live_server, worker, alice, project, tmp_path):
    _, key = api_keys.create_key(project, alice, "Examples", "write")
    command, ending, mark = SHELLS[language]
    session = tmp_path / f"session.{ending}"
    page_examples = examples(language)
    session.write_text("".join(example.code + mark % n for n, example in enumerate(page_examples)))

    result = subprocess.run(
        [*command, str(session)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "EVALSITE_URL": live_server.url, "EVALSITE_KEY": key},
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert result.returncode == 0, result.stdout[-1000:] + result.stderr
    assert list(differing(page_examples, result.stdout)) == []


def differing(page_examples: list[Example], printed: str) -> Iterator[str]:
    """The examples whose output differs from the page, with that output."""
    for number, example in enumerate(page_examples):
        output, _, printed = printed.partition(MARK % number)
        if not re.fullmatch(pattern(example.expected_output), "".join(output.split()), re.DOTALL):
            yield f"{example.code}\nprinted\n{output}"


def routes() -> dict[str, str]:
    """Every call of the schema with the smallest scope that allows it."""
    scopes = {}
    for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items():
        view = resolve(re.sub(r"\{\w+\}", "1", path)).func.view_class
        scopes |= {f"{method.upper()} {path}": scope(view.needs[method.upper()]) for method in methods}
    return scopes


def scope(permission: str) -> str:
    return next(scope.value for scope in Scope if permission in permissions.BY_SCOPE[scope])


def test_the_table_has_every_route_with_its_scope_and_no_other():
    rows = re.findall(r"^\| `([A-Z]+ /api/v1/\S*)` \| (\w+) \|", PAGE, re.MULTILINE)

    assert dict(rows) == routes()


def test_every_address_in_the_text_is_a_route():
    addresses = {call.split()[1] for call in routes()}

    assert set(re.findall(r"`(?:[A-Z]+ )?(/api/v1/[^`?]*)`", PAGE)) - addresses == set()
