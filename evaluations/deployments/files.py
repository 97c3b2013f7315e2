"""Prompts as files for version control: one version as YAML, whose differences people can read."""

from dataclasses import fields
from typing import Any

import yaml
from django.contrib.auth.models import User
from django.db import transaction

from evaluations.errors import Invalid, TooLarge
from evaluations.ingest import FileError
from evaluations.models import Project, Prompt, PromptVersion
from evaluations.models.fields import name_key
from evaluations.other_tools import yaml_document
from evaluations.prompts import prompts
from evaluations.prompts.content import MOST_BYTES, Content
from evaluations.values import JSON

KIND = "application/yaml"
MOST_VALUES = 100_000
LARGEST = 4 * MOST_BYTES  # bytes of a file, with its indentation
# The connection is not in a file, because another site has other ones.
PARTS = [part.name for part in fields(Content) if part.name != "connection"]
NAMES = ["name", *PARTS, "note"]
DEFAULTS: dict[str, Any] = {
    "model": "",
    "parameters": {},
    "schema": None,
    "tools": [],
    "split_reasoning": True,
    "note": "",
}
TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,), "messages": (list,), "model": (str,), "parameters": (dict,), "schema": (dict, type(None)),
    "tools": (list,), "split_reasoning": (bool,), "note": (str,),
}  # fmt: skip


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _style(value: str) -> str | None:
    """Lines as lines; ends of lines other than \\n, which YAML would change, are escaped."""
    if any(end in value for end in "\r\x85\u2028\u2029"):
        return '"'
    return "|" if "\n" in value else None


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))


_Dumper.add_representer(str, _text)


def written(version: PromptVersion) -> bytes:
    """A version as YAML; parts that a new prompt has anyway are left out."""
    content: dict[str, Any] = {"name": version.prompt.name}
    content |= {name: getattr(version, name) for name in [*PARTS, "note"]}
    kept = {name: value for name, value in content.items() if name not in DEFAULTS or value != DEFAULTS[name]}
    return yaml.dump(kept, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, encoding="utf-8")


def read(content: bytes) -> dict[str, Any]:
    """The parts of a prompt in a file, YAML or JSON; raises `Invalid` naming what is wrong."""
    if len(content) > LARGEST:
        raise TooLarge("prompt_too_large", f"A file of a prompt can have at most {LARGEST // 1_000} kB.")
    value = _parsed(content)
    if not isinstance(value, dict) or "messages" not in value or "name" not in value:
        raise _refused("A file of a prompt has at least a name and messages.")
    if unknown := [name for name in value if name not in NAMES]:
        raise _refused(f"Unknown: {', '.join(map(str, unknown[:5]))[:200]}. Known: {', '.join(NAMES)}.")
    for name, part in value.items():
        if not isinstance(part, TYPES[name]):
            raise _refused(f"{name} has the wrong type.")
    return DEFAULTS | value


def _parsed(content: bytes) -> JSON:
    try:
        return yaml_document.parsed(content, MOST_VALUES)
    except FileError as error:
        raise _refused(f"{error.message}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"Line {mark.line + 1}: " if mark else ""
        raise _refused(f"{where}{getattr(error, 'problem', None) or 'this is not YAML'}.") from error


def _refused(message: str) -> Invalid:
    return Invalid("invalid_prompt", message, fields={"file": [message]})


def store(project: Project, user: User | None, content: bytes) -> tuple[PromptVersion, bool]:
    """Create the prompt in a file, or add a version to the prompt of its name; returns it, and whether it is new.

    The file is all of a version, except the connection: what it leaves out has its default. An existing prompt keeps
    its connection.
    """
    values = read(content)
    parts = {name: values[name] for name in PARTS}
    with transaction.atomic():
        prompt = Prompt.objects.live().filter(project=project, name_key=name_key(values["name"])).first()
        if prompt:
            return prompts.add_version(prompt, user, parts, values["note"][:200])
        created = prompts.create(project, user, values["name"], Content(**parts), values["note"][:200])
        return prompts.version_of(created), True
