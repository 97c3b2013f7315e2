"""The page kit: what pages of several nouns are made of (docs/pages.md). Every template has these tags.

Each tag has one template in templates/kit/.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django import template
from django.db.models import Model
from django.forms import BoundField
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations.models import Dataset
from evaluations.short_texts import short_name, shortened
from evaluations.values import digest_of

register = template.Library()
register.filter(shortened)
register.filter(short_name)


@register.filter
def known_as(name: str, shown: Mapping[str, str]) -> str:
    """What is shown of a name, such as `comparison.sides.narrow_names` say it."""
    return shown.get(name, name)


@dataclass(frozen=True)
class Column:
    """The head of a column. `css` also says how its cells look; `is_unseen` is read aloud only."""

    title: str
    css: str = ""
    is_unseen: bool = False


@register.simple_tag
def seen(**stored: Any) -> SafeString:
    """The field by which a form without an object notices that its `stored` values were changed meanwhile."""
    return format_html('<input type="hidden" name="seen" value="{}">', digest_of(stored))


@register.simple_block_tag(takes_context=True)
def empty_state(
    context: template.Context,
    content: str,
    title: str,
    *,
    url: str = "",
    action: str = "",
    prompts_url: str = "",
    needs: str = "",
    docs: str = "",
) -> SafeString:
    """A page or section without content: a title, a sentence and the one useful action, for those who may (`needs`).

    Other ways to begin are prompts, where there are no outputs, and the sample, as long as the whole project is
    empty. `docs` is the page of the manual.
    """
    if needs and needs not in context["may"]:
        url = prompts_url = ""
    shown = {"title": title, "sentence": content, "url": url, "action": action, "docs": docs}
    return _drawn("empty", context, shown | {"prompts_url": prompts_url, "sample_url": _sample_url(context)})


def _sample_url(context: template.Context) -> str:
    """Where the sample is loaded, for those who may, into a project without data."""
    project = context.get("project")
    if not project or "write" not in (context.get("may") or ()):
        return ""
    is_empty = not Dataset.objects.live().filter(project=project).exists()
    return reverse("sample-load", args=[project.slug]) if is_empty else ""


@register.simple_block_tag(takes_context=True)
def notice(
    context: template.Context,
    content: str,
    title: Any = "",
    *,
    level: str = "",
    symbol: str = "care",
    url: str = "",
    link: str = "",
) -> SafeString:
    """A highlighted sentence; `level="error"` colours it and has it read at once. `link` leads to `url`."""
    shown = {"title": title, "text": content, "level": level, "symbol": symbol, "url": url, "link": link}
    return _drawn("notice", context, shown)


# letters of a name, with that of the page above it (cut after so many), beside which facts have no room
LONG_NAME, LONGEST_UP = 48, 60


@register.simple_block_tag(takes_context=True)
def page_head(
    context: template.Context,
    content: str,
    title: Any,
    *,
    facts: str = "",
    up: Any = "",
    to: str = "",
    of: Any = None,
) -> SafeString:
    """The name of a page, a sentence about it, and what can be done: `<div class="actions">…</div>`.

    `up` is the name of the page above, whose URL has the name `to` and the argument `of`.
    """
    address = reverse(to, args=[] if of is None else [of]) if to else ""
    is_long = len(str(title)) + min(len(str(up)), LONGEST_UP) > LONG_NAME
    named = {"title": title, "up": up, "address": address, "is_long": is_long}
    return _drawn("page_head", context, named | {"facts": facts, "rest": content})


@register.simple_block_tag(takes_context=True)
def file_form(context: template.Context, content: str, action: str, *, to: str, of: int | str) -> SafeString:
    """A form that sends a file with its progress in sight; "Back" leads to the URL `to` with the argument `of`."""
    address = reverse(to, args=[of])
    return _drawn("file_form", context, {"action": action, "address": address, "fields": content})


@register.simple_block_tag(takes_context=True)
def file_field(context: template.Context, content: str, file: BoundField, label: str) -> SafeString:
    """A file that is chosen or dropped, with a hint about what it may be."""
    return _drawn("file_field", context, {"file": file, "label": label, "hint": content})


STYLES = {"bare": "button button-bare", "main": "button button-main"}


@register.simple_block_tag(takes_context=True)
def post_button(
    context: template.Context,
    content: str,
    to: str,
    *args: Any,
    style: str = "button",
    form: str = "",
    spoken: str = "",
    about: Any = "",
    title: str = "",
    query: str = "",
    **sent: Any,
) -> SafeString:
    """A button that posts to a URL name or an address, with hidden fields `sent`.

    Its classes are `style`, or those that STYLES has for the word; those of its form `form`. Screen readers read
    `spoken` and `about` instead of the text.
    """
    address = to if to.startswith(("/", "?")) else reverse(to, args=args)
    style = STYLES.get(style, style)
    shown = {"address": f"{address}{query}", "text": content, "style": style, "form_style": form}
    return _drawn(
        "post_button", context, shown | {"label": f"{spoken} {about}".strip(), "title": title, "sent": sent}
    )


@register.simple_block_tag(takes_context=True)
def ask_first(
    context: template.Context,
    content: str,
    text: str,
    to: str,
    *args: Any,
    style: str = "button",
    spoken: str = "",
    about: Any = "",
) -> SafeString:
    """A button that posts what cannot be undone: pressed, it says what is lost, the content, and asks once more.

    The rest is as for `post_button`. It needs no script.
    """
    address = to if to.startswith("/") else reverse(to, args=args)
    shown = {"act": text, "address": address, "id": f"ask{address.replace('/', '-').rstrip('-')}"}
    label = f"{spoken} {about}".strip()
    return _drawn(
        "ask_first", context, shown | {"lost": content, "label": label, "style": STYLES.get(style, style)}
    )


@register.simple_block_tag(takes_context=True)
def table(
    context: template.Context,
    content: str,
    label: Any,
    columns: str = "",
    *,
    caption: str = "",
    style: str = "",
    scroll: str = "",
    heads: Mapping[str, object] | None = None,
) -> SafeString:
    """A table that scrolls by itself, or with `scroll` "narrow" on narrow screens only; its content are rows.

    `columns` are titles between commas, each with its classes: "Name, Runs:number, Actions:unseen", where only
    screen readers read an unseen one.
    Without them the content has head and body. `heads` (page_tools/sorting.py) are those that sort, by their titles in
    small letters.
    """
    drawn = [(column, (heads or {}).get(column.title.lower())) for column in _columns(columns)]
    shown = {"label": label, "columns": drawn, "caption": caption, "rows": content}
    return _drawn(
        "table",
        context,
        shown | {"style": f"table {style}".strip(), "scroll": f"scroll-{scroll}".rstrip("-")},
    )


@lru_cache(maxsize=200)
def _columns(titles: str) -> tuple[Column, ...]:
    """The columns that a text describes.

    >>> for column in _columns("Name, Runs:number, Select:pick:unseen"):
    ...     print(column.title, column.css, column.is_unseen)
    Name  False
    Runs number False
    Select pick True
    """
    parts = (title.strip().split(":") for title in titles.split(",") if title)
    return tuple(
        Column(title, " ".join(css for css in styles if css != "unseen"), "unseen" in styles)
        for title, *styles in parts
    )


@register.simple_block_tag(takes_context=True)
def filters(
    context: template.Context,
    content: str,
    *,
    hidden: Iterable[tuple[str, Any]] = (),
    at_once: bool = False,
    searches: bool = False,
    button: str = "",
    style: str = "",
) -> SafeString:
    """The form above a list that says which of it is shown; its content are fields, and `hidden` ones are kept.

    With scripts a choice applies `at_once`; without them people press the `button`, or Enter in a field to find texts.
    """
    shown = {"fields": content, "hidden": hidden, "at_once": at_once, "searches": searches}
    return _drawn("filters", context, shown | {"button": button, "style": f"bar {style}".strip()})


@register.inclusion_tag("kit/find.html")
def find(search: str, words: str, spoken: str = "") -> dict[str, str]:
    """The field of filters in which a text is typed that is looked for."""
    return {"search": search, "words": words, "spoken": spoken}


@register.simple_block_tag(takes_context=True)
def menu(
    context: template.Context,
    content: str,
    text: str,
    id: str,
    *,
    of: Model | None = None,
    style: str = "button",
    symbol: str = "",
    end: bool = False,
) -> SafeString:
    """A button that opens a menu of links and forms, below its start or its `end`; `of` is the row it belongs to.

    With the symbol "more" it has three dots, and its text is only read out.
    """
    shown = {
        "text": text,
        "id": f"{id}-{of.pk}" if of else id,
        "label": f"{text} for {of}" if of else "",
    }
    opens = {"has_chevron": symbol != "more", "symbol": symbol, "end": end}
    return _drawn("menu", context, shown | opens | {"style": style, "entries": content})


@register.simple_block_tag(takes_context=True)
def gauge(
    context: template.Context,
    content: str,
    title: str,
    *,
    done: Any = None,
    total: Any = None,
    note: Any = "",
    care: bool = False,
) -> SafeString:
    """A figure of work that goes on, in a `<dl class="gauges">`; a bar if it has a total, coloured if it needs care."""
    shown = {"title": title, "text": content, "done": done, "total": total, "note": note, "care": care}
    return _drawn("gauge", context, shown)


@register.simple_block_tag(takes_context=True)
def beside(context: template.Context, content: str, title: str) -> SafeString:
    """What helps with the form before it, in the same `<div class="pair">`: hints, what is known, a related list."""
    return _drawn("beside", context, {"title": title, "help": content})


def _drawn(name: str, context: template.Context, values: dict[str, Any]) -> SafeString:
    with context.push(**values):
        assert context.template is not None  # a tag is rendered as part of one
        return context.template.engine.get_template(f"kit/{name}.html").render(context)
