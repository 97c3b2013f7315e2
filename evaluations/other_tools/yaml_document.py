"""Parses YAML of other tools from parser events, with limits.

PyYAML's own loader first builds a tree of nodes, of several kilobytes for each value, and calls itself for each level:
two megabytes of `[],` took three gigabytes, and a hundred thousand levels end the process. Anchors and merged mappings
count once per use, before they are copied.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from evaluations.ingest import FileError, clean
from evaluations.values import JSON

from . import documents

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # several times as fast, if libyaml is available
_STANDARD = "tag:yaml.org,2002:"
_TAGS = {"str", "int", "float", "bool", "null", "timestamp", "seq", "map", "merge", "value"}
_TRUE = {"yes", "true", "on"}
_MERGE = "<<"
_LONGEST_NUMBER = 40  # characters; a longer number becomes a text
_resolver = yaml.resolver.Resolver()
_constructor = yaml.constructor.SafeConstructor()


def parsed(content: bytes, most_values: int) -> JSON:
    """The value of a single document; raises `yaml.YAMLError` or `FileError`."""
    return _Builder(most_values).value(yaml.parse(content, _Loader))


@dataclass
class _Open:
    """An unfinished list or mapping; the items of a mapping are names and members in turn."""

    event: Any
    size: int
    members: list[Any] = field(default_factory=list)


class _Builder:
    def __init__(self, most_values: int):
        self.maximum = most_values
        self.size = 0
        self.open: list[_Open] = [_Open(None, 0)]
        self.anchors: dict[str, tuple[Any, int]] = {}

    def value(self, events: Iterator[Any]) -> JSON:
        for event in events:
            match event:
                case yaml.ScalarEvent():
                    self._spend(1)
                    self._add(_scalar(event), event.anchor, 1)
                case yaml.AliasEvent():
                    self._add_anchored(event)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._begin(event)
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    self._end()
        if len(self.open[0].members) != 1:
            raise yaml.YAMLError("one document is expected")
        document: JSON = self.open[0].members[0]
        return document

    def _spend(self, size: int) -> None:
        self.size += size
        if self.size > self.maximum:
            raise FileError("values_limit", "The YAML expands to too many values.", hint=documents.TOO_LARGE)

    def _add(self, value: Any, anchor: str | None, size: int) -> None:
        self.open[-1].members.append(value)
        if anchor:
            self.anchors[anchor] = value, size

    def _add_anchored(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise yaml.YAMLError("an alias comes before its anchor, or inside it")
        value, size = self.anchors[event.anchor]
        self._spend(size)
        self._add(value, None, size)

    def _begin(self, event: Any) -> None:
        if len(self.open) > documents.DEEPEST:
            raise yaml.YAMLError("the values are nested too deeply")
        _check_tag(event.tag)
        self.open.append(_Open(event, self.size))
        self._spend(2)

    def _end(self) -> None:
        ended = self.open.pop()
        is_list = isinstance(ended.event, yaml.SequenceStartEvent)
        value = ended.members if is_list else _mapping(ended.members)
        self._add(value, ended.event.anchor, self.size - ended.size)


def _mapping(members: list[Any]) -> dict[str, JSON]:
    """A mapping; merged mappings come first, and among them the first one takes precedence."""
    merged: dict[str, JSON] = {}
    explicit: dict[str, JSON] = {}
    for name, member in zip(members[::2], members[1::2], strict=True):
        if isinstance(name, dict | list):
            raise yaml.YAMLError("a key of a mapping is a list or a mapping")
        if name == _MERGE:
            _merge(merged, member)
        else:
            explicit[str(name)] = member
    return merged | explicit


def _merge(merged: dict[str, JSON], source: Any) -> None:
    for mapping in source if isinstance(source, list) else [source]:
        if not isinstance(mapping, dict):
            raise yaml.YAMLError("the merged value is not a mapping")
        for name, member in mapping.items():
            merged.setdefault(name, member)


def _scalar(event: Any) -> JSON:
    """A scalar as JSON: a date remains text, and so do very long numbers and 1:30, a text in YAML 1.2."""
    _check_tag(event.tag)
    text: str = event.value
    tag = (
        event.tag
        if event.tag not in (None, "!")
        else _resolver.resolve(yaml.ScalarNode, text, event.implicit)  # type: ignore[no-untyped-call]
    )
    match tag.removeprefix(_STANDARD):
        case "null":
            return None
        case "bool":
            return text.lower() in _TRUE
        case "int" | "float" as kind if ":" not in text and len(text) <= _LONGEST_NUMBER:
            return _number(kind, text)
    return clean(text)


def _number(kind: str, text: str) -> int | float | None:
    node = yaml.ScalarNode(_STANDARD + kind, text)
    number = (
        _constructor.construct_yaml_int(node) if kind == "int" else _constructor.construct_yaml_float(node)
    )
    return number if math.isfinite(number) else None


def _check_tag(tag: str | None) -> None:
    if tag not in (None, "!") and tag.removeprefix(_STANDARD) not in _TAGS:
        raise yaml.YAMLError(f"the tag {tag[:80]} is not known")
