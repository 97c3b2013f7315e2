"""Draws values of examples and outputs, alone or compared: the one component for texts of all pages (docs/pages.md)."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.conversations.messages import Message
from evaluations.reading.markup import Block, html_of
from evaluations.reading.passages import Passage
from evaluations.reading.reading import Reading, View, read
from evaluations.reading.trees import Line
from evaluations.values import JSON, written

from .conversations import drawn
from .diffs import diff

register = template.Library()

DEEPEST_SHOWN = 8  # levels of a tree that are moved in
LONG = 200  # characters from which on a text has the tools that outputs have
TAGS = {"insert": "ins", "delete": "del"}


@register.inclusion_tag("kit/reading.html", takes_context=True)
def reading(
    context: template.Context,
    shown: Reading,
    address: str = "",
    *,
    whole: Reading | None = None,
    tools: bool = False,
    tools_if_long: bool = False,
) -> dict[str, Any]:
    """A reading. `address` leads to the whole of it, or `whole` is folded below it.

    `tools` are above it: what it is, raw, copy; with `tools_if_long` only above a long text.
    """
    return {
        "reading": shown,
        "whole": whole,
        "address": address,
        "tools": tools or (tools_if_long and _is_long(shown)),
        "request": context.get("request"),
    }


@register.inclusion_tag("kit/reading.html", takes_context=True)
def text(
    context: template.Context,
    value: JSON,
    room: int | None = 700,
    *,
    tools: bool = False,
    tools_if_long: bool = False,
) -> dict[str, Any]:
    """A value alone; the rest of one that is longer than about `room` characters is folded below it."""
    raw = "raw" in context["request"].GET if context.get("request") else False
    shown = read(value, View(raw=raw, room=room))
    whole = read(value, View(raw=raw)) if shown.characters_left else None
    has_tools = tools or (tools_if_long and _is_long(shown))
    return {"reading": shown, "whole": whole, "tools": has_tools, "request": context.get("request")}


def _is_long(shown: Reading) -> bool:
    return len(shown.form.text) >= LONG


@register.filter
def in_words(value: JSON) -> JSON:
    """A list of texts and numbers, such as tags, as words; another value unchanged.

    >>> in_words(["urgent", "returns"]), in_words([{"a": 1}]), in_words("urgent")
    ('urgent, returns', [{'a': 1}], 'urgent')
    """
    if not isinstance(value, list) or any(isinstance(item, dict | list) for item in value):
        return value
    return ", ".join(written(item) for item in value)


@register.simple_tag
def passages(
    shown: Sequence[Passage], address: str = "", *, is_diff: bool = False, is_code: bool = False
) -> SafeString:
    """The passages of a text. What is folded opens in place, or by the address if it is not there."""
    classes = f"text{' diff' if is_diff else ''}{' code' if is_code else ''}"
    drawn_passages = (
        _fold(
            passage.folded,
            address,
            _passage(classes, passage, is_code) if passage.changes else SafeString(""),
        )
        if passage.folded
        else _passage(classes, passage, is_code)
        for passage in shown
    )
    return SafeString("".join(drawn_passages))


def _passage(classes: str, passage: Passage, is_code: bool) -> SafeString:
    if is_code:
        return format_html('<pre class="{}" dir="ltr">{}</pre>', classes, diff(passage.changes))
    return format_html('<p class="{}" dir="auto">{}</p>', classes, diff(passage.changes))


def _fold(words: str, address: str, inside: SafeString) -> SafeString:
    if inside:
        return format_html('<details class="same-fold"><summary>{}</summary>{}</details>', words, inside)
    if address:
        return format_html('<a class="same-fold" href="{}">{}</a>', address, words)
    return format_html('<p class="same-fold">{}</p>', words)


@register.simple_tag
def blocks(shown: Sequence[Block], address: str = "") -> SafeString:
    """Rendered markdown, whose HTML is safe (evaluations/reading/markup.py)."""
    return SafeString("".join(_block(block, address) for block in shown))


def _block(block: Block, address: str) -> SafeString:
    if block.folded:
        return _fold(block.folded, address, blocks(block.blocks))
    if block.changes is not None:
        return format_html('<p class="text diff" dir="auto">{}</p>', diff(block.changes))
    html = SafeString(block.html)
    if block.tag in TAGS:
        return format_html(
            '<div class="block-{}" dir="auto"><span class="unseen">{}</span>{}</div>', *_marked(block), html
        )
    return format_html('<div dir="auto">{}</div>', html)


def _marked(block: Block) -> tuple[str, str]:
    return TAGS[block.tag], "inserted: " if block.tag == "insert" else "deleted: "


@register.simple_tag
def guideline(text: str, otherwise: str) -> SafeString:
    """What raters are to go by, as small markdown; words in its place if there is none."""
    inside = SafeString(html_of(text)) if text else format_html("<p>{}</p>", otherwise)
    return format_html('<div class="rendered guideline-text" dir="auto">{}</div>', inside)


@register.simple_tag
def tree(shown: Sequence[Line], address: str = "") -> SafeString:
    """The lines of JSON values."""
    return SafeString(f'<ul class="tree">{"".join(_line(line, address) for line in shown)}</ul>')


def _line(line: Line, address: str) -> SafeString:
    depth = min(line.depth, DEEPEST_SHOWN)
    if line.folded:
        inside = tree(line.lines) if line.lines else SafeString("")
        return format_html('<li data-depth="{}">{}</li>', depth, _fold(line.folded, address, inside))
    name = format_html('<span class="key-name" dir="auto">{}</span> ', line.name) if line.name else ""
    note = format_html(' <span class="aside">{}</span>', line.note) if line.note else ""
    changed = SafeString(' class="moved diff"') if line.tag != "equal" else ""
    shown = diff(line.changes)
    return format_html(
        '<li data-depth="{}"{}>{}<span dir="auto">{}</span>{}</li>', depth, changed, name, shown, note
    )


@register.simple_tag
def messages(shown: Sequence[Message]) -> SafeString:
    return SafeString(drawn(shown))


@register.filter
def more_characters(count: int) -> str:
    return f"{numerals.grouped(count)} more characters"
