"""`evalsite prompt`: fetches, labels, exports and imports prompts."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import click

from ..session import Session, connected, json_object, note, written

TARGET = click.Path(dir_okay=False, path_type=Path)
version_option = click.option(
    "--version", type=click.IntRange(min=1), help="The number of a version. Default: the newest."
)


@click.group("prompt")
def command() -> None:
    """Fetch, label, export and import the prompts of the project."""


@command.command("get")
@click.argument("name")
@click.option(
    "--label", default="production", show_default=True, help="The label of the version; `latest`: the newest."
)
@click.option("--version", type=click.IntRange(min=1), help="The number of a version, instead of a label.")
@click.option(
    "--values", metavar="JSON", help="Values of the variables as JSON, or @FILE: print the filled request."
)
@connected
def get(session: Session, name: str, label: str, version: int | None, values: str | None) -> None:
    """Print the version of a prompt that programs get, from disk if the site is away."""
    prompt = session.client.prompt(name, label, version=version, max_age=0)
    if prompt.kept_at is not None:
        note("The site did not answer. This is the copy on disk.")
    if values is not None:
        request = prompt.request(json_object(values, "--values"))
        session.answer(request, *json.dumps(request, ensure_ascii=False, indent=2).splitlines())
        return
    head = f"{prompt.name} v{prompt.version}" + (f" ({prompt.label})" if prompt.label else "")
    session.answer(dataclasses.asdict(prompt), head, *map(_message, prompt.messages))


def _message(message: dict[str, Any]) -> str:
    content = message.get("content")
    return f"{message['role']}: {content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)}"


@command.command("label")
@click.argument("name")
@click.argument("label")
@click.argument("version", type=click.IntRange(min=1))
@connected
def label(session: Session, name: str, label: str, version: int) -> None:
    """Put LABEL on VERSION of a prompt, taking it from the version that has it."""
    moved = session.client.label_prompt(name, label, version)
    session.answer(moved, f"{name}: {label} is v{moved['version']}")


@command.command("unlabel")
@click.argument("name")
@click.argument("label")
@connected
def unlabel(session: Session, name: str, label: str) -> None:
    """Take LABEL from a prompt; programs that ask for it are refused from then on."""
    session.client.unlabel_prompt(name, label)
    session.answer({"label": label, "version": None}, f"{name}: no version has the label {label}")


@command.command("export")
@click.argument("name")
@version_option
@click.option(
    "-o", "--to", "target", type=TARGET, help="The file to write; - for standard output. Default: NAME.yaml."
)
@connected
def export(session: Session, name: str, version: int | None, target: Path | None) -> None:
    """Write a version of a prompt to a YAML file, for version control."""
    target = target or Path(f"{name}.yaml".replace("/", "-"))
    written(session, target, lambda path: session.client.prompt_file(name, path, version))


@command.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--label", help="Also put this label on the version.")
@connected
def import_file(session: Session, file: Path, label: str | None) -> None:
    """Create the prompt in FILE, or add a version to the prompt of its name if anything differs."""
    stored = session.client.import_prompt(file)
    if label:
        session.client.label_prompt(stored["prompt"], label, stored["version"])
    session.answer(stored, f"{stored['name']} v{stored['version']}" + (f" ({label})" if label else ""))


@command.command("code")
@click.argument("name")
@version_option
@connected
def code(session: Session, name: str, version: int | None) -> None:
    """Print a version of a prompt as Python for the `openai` package."""
    text = session.client.prompt_code(name, version)
    if session.as_json:
        session.answer({"python": text})
    else:
        sys.stdout.write(text)
