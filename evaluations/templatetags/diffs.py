"""Renders the differences of two texts (docs/pages.md)."""

from collections.abc import Iterable

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from evaluations.metrics.diff import Change

register = template.Library()

# It has a direction of its own, so that it does not decide that of the text around it.
OPEN = '<span class="unseen" dir="ltr">'


@register.filter
def diff(operations: Iterable[Change]) -> SafeString:
    """Changes computed by metrics/diff.py as <ins> and <del>; changes inside a replaced word are marked.

    A page has thousands of these pieces, so each text is escaped once and the markup is added by hand.
    """
    return SafeString("".join(_operation(*operation) for operation in operations))


def _operation(kind: str, before: str, after: str, inner: Iterable[Change] | None = None) -> str:
    if kind == "equal":
        return escape(after)
    removed = _change("del", "deleted", before, inner, side=1) if before else ""
    return removed + (_change("ins", "inserted", after, inner, side=2) if after else "")


def _change(tag: str, label: str, text: str, inner: Iterable[Change] | None, *, side: int) -> str:
    pieces = ((part[0] != "equal", escape(part[side])) for part in inner or [("equal", text, text, None)])
    marked = "".join(f"<mark>{piece}</mark>" if differs else piece for differs, piece in pieces if piece)
    return f"<{tag}>{OPEN}[{label}: </span>{marked}{OPEN}]</span></{tag}>"
