"""docs/client.md works from its first line to its last, against a live server with a real worker."""

import re

import pytest

from evalsite_client import errors, main
from evalsite_client.verbs import gate_verb
from tests.processes import ROOT
from tests.site import shell_examples

PAGE = (ROOT / "docs" / "client.md").read_text()


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_every_example_prints_what_the_page_shows(shell, worker, tmp_path):
    differing = [
        text
        for language in ("bash", "python")
        for text in shell_examples.run(PAGE, language, tmp_path, **shell)
    ]

    assert differing == []


def table(heading: str) -> dict[str, str]:
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `?(\w+)[^|]* \| ([^|]+) \|$", part.replace("\\|", "/"), re.MULTILINE))


def test_every_verb_is_in_the_table():
    assert [verb for verb in table("Verbs") if verb != "verb"] == list(main.VERBS)


def test_every_exit_code_is_in_the_table_and_in_the_help():
    codes = {error.exit_code for error in errors.EvalsiteError.__subclasses__()}

    explained = {int(code) for code in table("Exit codes") if code.isdigit()}
    assert explained == {*gate_verb.CODES.values(), main.USAGE, main.INTERRUPTED} | codes
    assert {int(code) for code in re.findall(r"^  (\d+)", main.EXIT_CODES, re.MULTILINE)} == explained
