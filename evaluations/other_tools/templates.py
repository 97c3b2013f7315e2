"""Templates of other tools, if they only insert values: `{{ item.question }}`. Others are not rendered."""

from collections.abc import Mapping
from typing import Any

from evaluations.linear import SPACE, Pattern

_VARIABLE = Pattern(rf"\{{\{{-?[{SPACE}]*([A-Za-z_][\w\pL\pN.]*)[{SPACE}]*-?\}}\}}")
_MARK = Pattern("\\{[{%#]")


def variables(template: str) -> list[str]:
    """The names that a template uses.

    >>> variables("{{ item.question }} and {{x}}")
    ['item.question', 'x']
    """
    return [match[1] for match in _VARIABLE.finditer(template)]


def only_variable(template: str) -> str:
    """The variable, if the template is nothing but one variable; else ""."""
    match = _VARIABLE.fullmatch(template.strip())
    return match[1] if match else ""


def names_only(template: str) -> bool:
    """Whether a template only inserts values."""
    return not _MARK.search(_VARIABLE.sub("", template))


def rendered(template: str, values: Mapping[str, Any]) -> str | None:
    """The rendered text; None if the template does more than insert texts and numbers.

    >>> rendered("{{ a.b }}!", {"a": {"b": "yes"}}), rendered("{{ a | upper }}", {"a": "b"})
    ('yes!', None)
    """
    if not names_only(template):
        return None
    named = {name: _value(name, values) for name in variables(template)}
    if any(text is None for text in named.values()):
        return None
    return _VARIABLE.sub(lambda match: named[match[1]] or "", template)


def _value(name: str, values: Mapping[str, Any]) -> str | None:
    value: Any = values
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
