"""A prompt version as Python that calls the `openai` package: for a program, or to read what is sent."""

import keyword
from collections.abc import Mapping
from typing import Any

from evaluations.models import PromptVersion
from evaluations.prompts import templates
from evaluations.prompts.content import Content

INDENT = "    "
WIDEST = 96  # characters of a line
# What `create` of the package takes by name; other parameters of a server go into `extra_body`. A test compares them.
KNOWN = frozenset(
    [
        "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
        "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model", "moderation",
        "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options",
        "prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed",
        "service_tier", "stop", "store", "temperature", "tool_choice", "tools", "top_logprobs", "top_p",
        "user", "verbosity", "web_search_options",
    ]
)  # fmt: skip


def python(version: PromptVersion) -> str:
    """A function whose parameters are the variables; it returns the answer of `client.chat.completions.create`."""
    content = Content.from_version(version)
    names = _identifiers(content.variables)
    messages = _bracketed([_message(message, names) for message in content.messages], "[]", 2)
    body = content.body([], content.model or "…")
    further = {name: body.pop(name) for name in list(body) if name not in KNOWN}
    arguments = {name: _written(value, 2) for name, value in body.items()} | {"messages": messages}
    if further:
        arguments["extra_body"] = _written(further, 2)
    function = _identifier(version.prompt.name)
    base_url = f"base_url={content.connection.base_url!r}" if content.connection else ""
    return "\n".join(
        [
            "from openai import OpenAI",
            "",
            "# the key is read from OPENAI_API_KEY",
            f"client = OpenAI({base_url})",
            "",
            "",
            f"def {function}({', '.join(names.values())}):",
            f'{INDENT}"""{_plain(version.prompt.name)}, version {version.number}."""',
            f"{INDENT}return client.chat.completions.create(",
            *(f"{INDENT * 2}{name}={value}," for name, value in arguments.items()),
            f"{INDENT})",
            "",
        ]
    )


def by_label(version: PromptVersion, label: str) -> str:
    """Python that fetches the version with a label, wherever it is, and sends it."""
    values = ", ".join(f"{variable!r}: …" for variable in Content.from_version(version).variables)
    return "\n".join(
        [
            "from evalsite_client import Client",
            "from openai import OpenAI",
            "",
            f"prompt = Client().prompt({version.prompt.name!r}, label={label!r})",
            f"request = prompt.request({{{values}}})",
            "answer = OpenAI().chat.completions.create(**request)",
            "",
        ]
    )


def _plain(text: str) -> str:
    return text.replace("\\", " ").replace('"', "'")


def _identifiers(variables: list[str]) -> dict[str, str]:
    """A different Python name for each variable."""
    names: dict[str, str] = {}
    for variable in variables:
        name = base = _identifier(variable)
        number = 2
        while name in names.values():
            name, number = f"{base}_{number}", number + 1
        names[variable] = name
    return names


def _identifier(text: str) -> str:
    """A Python name like the text.

    >>> _identifier("metadata.topic"), _identifier("2 plus 2"), _identifier("class")
    ('metadata_topic', 'v_2_plus_2', 'class_')
    """
    name = (
        "".join(character if f"a{character}".isidentifier() else "_" for character in text).strip("_").lower()
    )
    name = name or "value"
    if not name.isidentifier():
        name = f"v_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name == "client" else name


def _message(message: templates.Message, names: Mapping[str, str]) -> str:
    """A message; only its content is a template."""
    parts = [
        f"{name!r}: {_template(value, names, 4) if name == 'content' else _written(value, 4)}"
        for name, value in message.items()
    ]
    return _bracketed(parts, "{}", 3)


def _template(value: Any, names: Mapping[str, str], depth: int) -> str:
    """A content as a Python expression, with its texts as f-strings; `type` is no template."""
    if isinstance(value, str):
        return _text(value, names, depth)
    if isinstance(value, list):
        return _bracketed([_template(part, names, depth + 1) for part in value], "[]", depth)
    if isinstance(value, dict):
        parts = [
            f"{name!r}: {_written(part, depth + 1) if name == 'type' else _template(part, names, depth + 1)}"
            for name, part in value.items()
        ]
        return _bracketed(parts, "{}", depth)
    return repr(value)


def _written(value: Any, depth: int) -> str:
    """A JSON value as a Python expression."""
    if isinstance(value, dict):
        return _bracketed(
            [f"{name!r}: {_written(part, depth + 1)}" for name, part in value.items()], "{}", depth
        )
    if isinstance(value, list):
        return _bracketed([_written(part, depth + 1) for part in value], "[]", depth)
    return repr(value)


def _bracketed(parts: list[str], brackets: str, depth: int) -> str:
    opening, closing = brackets[0], brackets[1]
    line = f"{opening}{', '.join(parts)}{closing}"
    if len(line) + len(INDENT) * depth <= WIDEST and "\n" not in line:
        return line
    inner = "".join(f"\n{INDENT * (depth + 1)}{part}," for part in parts)
    return f"{opening}{inner}\n{INDENT * depth}{closing}"


def _text(text: str, names: Mapping[str, str], depth: int) -> str:
    """A template as an f-string, one line of code for each of its lines."""
    *first, last = text.split("\n")
    ended = [f"{line}\n" for line in first] + ([last] if last or not first else [])
    lines = [_line(line, names) for line in ended]
    if len(lines) == 1:
        return lines[0]
    inner = "".join(f"\n{INDENT * (depth + 1)}{line}" for line in lines)
    return f"({inner}\n{INDENT * depth})"


def _line(line: str, names: Mapping[str, str]) -> str:
    pieces, end, is_filled = [], 0, False
    for match in templates.VARIABLE.finditer(line):
        pieces.append(_escaped(line[end : match.start()]))
        if match[1]:
            pieces.append(_escaped(match[0][1:]))
        else:
            pieces.append(f"{{{names[match[2].strip(templates.BLANKS)]}}}")
            is_filled = True
        end = match.end()
    pieces.append(_escaped(line[end:]))
    joined = "".join(pieces)
    return f"f{joined!r}" if is_filled else repr(joined.replace("{{", "{").replace("}}", "}"))


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
