"""Runs the shell examples of a documentation page, and compares their output with the page."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = {"json", "text"}
MARK = "==== example %d ===="  # printed after every example, to separate the outputs
SHELLS = {
    "bash": (["bash", "-e"], "sh", f"\necho; echo '{MARK}'\n"),
    "python": ([sys.executable], "py", f"\nprint('\\n{MARK}', flush=True)\n"),
}


@dataclass
class Example:
    """A block of commands, and its output as the page shows it."""

    code: str
    expected_output: str = "…"


def examples(page: str, language: str) -> list[Example]:
    """The blocks of a page in one language, in order."""
    blocks: list[tuple[str, Example]] = []
    for name, text in FENCED.findall(page):
        if name in SHOWN:
            blocks[-1][1].expected_output = text
        else:
            blocks.append((name, Example(text)))
    return [example for name, example in blocks if name == language]


def pattern(output: str) -> str:
    """The output without white space as a regular expression, in which `…` matches anything."""
    return ".*?".join(re.escape("".join(part.split())) for part in output.split("…"))


def run(page: str, language: str, folder: Path, **env: str) -> list[str]:
    """Run the blocks of a page in one shell session; returns the result of `differing`."""
    command, ending, mark = SHELLS[language]
    session, blocks = folder / f"session.{ending}", examples(page, language)
    session.write_text("".join(example.code + mark % number for number, example in enumerate(blocks)))
    result = subprocess.run(
        [*command, str(session)],
        cwd=folder,
        env={"PATH": os.environ["PATH"]} | env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout[-1000:] + result.stderr
    return list(differing(blocks, result.stdout))


def differing(page_examples: list[Example], printed: str) -> Iterator[str]:
    """The examples whose output differs from the page, with that output."""
    for number, example in enumerate(page_examples):
        output, _, printed = printed.partition(MARK % number)
        if not re.fullmatch(pattern(example.expected_output), "".join(output.split()), re.DOTALL):
            yield f"{example.code}\nprinted\n{output}"
