"""The documentation in the app: docs/*.md as pages with anchors, and a search over their sections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from evaluations.linear import Pattern, literal
from evaluations.numerals import NO_BREAK
from evaluations.templatetags.evalsite import copy

from ..page_tools.request import HttpRequest

MOST_HITS = 30
MOST_UNFOLDED = 36_000  # characters of a document that is shown at once
WIDE = 5  # columns of a table that becomes a list on a phone
SENTENCE = 60  # characters of a cell that has a line of its own there
LONG_NAME = 20  # characters of a name that a narrow column would break inside a word
UNBROKEN = 14  # characters of a cell that stays on one line
SNIPPET = 160  # characters around the first word that matches
DOCUMENT = Pattern(r"(?:docs/)?([\w-]+)\.md(#.*)?")
NAME = Pattern(r"`[\w.]+`")  # of a setting, an event or an error
IMAGE = Pattern(r"(?:docs/)?([\w-]+)\.(png|svg)")
IMAGES = {"png": "image/png", "svg": "image/svg+xml"}  # by the ends of their files' names


@dataclass(frozen=True)
class Section:
    """The text under a heading; `anchor` is the heading's id."""

    page: str
    page_title: str
    title: str
    anchor: str
    text: str

    @property
    def address(self) -> str:
        return f"{reverse('manual-page', args=[self.page])}#{self.anchor}"


@dataclass(frozen=True)
class Page:
    name: str
    title: str
    html: SafeString
    sections: tuple[Section, ...]


@require_safe
def manual(request: HttpRequest) -> HttpResponse:
    """The index, or the sections that contain every word of `?q=`."""
    words = request.GET.get("q", "").strip()[:200]
    context = {"page": page_of("index"), "search": words, "hits": search(words)}
    return render(request, "site/manual.html", context)


@require_safe
def manual_page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in names():
        raise Http404
    return render(request, "site/manual.html", {"page": page_of(name)})


@require_safe
def manual_image(request: HttpRequest, name: str, kind: str) -> FileResponse:
    image = settings.DOCS_DIR / f"{name}.{kind}"
    if kind not in IMAGES or not image.is_file():
        raise Http404
    return FileResponse(image.open("rb"), content_type=IMAGES[kind])


# ---- rendering ---------------------------------------------------------------------------------------------


@cache
def names() -> frozenset[str]:
    return frozenset(file.stem for file in Path(settings.DOCS_DIR).glob("*.md"))


def _source(name: str) -> str:
    return (Path(settings.DOCS_DIR) / f"{name}.md").read_text()


@cache
def title_of(name: str) -> str:
    return _source(name).partition("\n")[0].removeprefix("# ")


@cache
def page_of(name: str) -> Page:
    """A document as HTML. Raw HTML in it is shown as text, so the result is safe."""
    tokens = _parser().parse(_source(name))
    title = title_of(name)
    for token, inner in pairwise(_flat(tokens)):
        _name_page(token, inner)
        _link_inside(token)
    for opened, inside, closed in zip(tokens, tokens[1:], tokens[2:], strict=False):
        _head_column(opened, inside, closed)
    headings = _add_anchors(tokens)
    sections = tuple(_sections(name, title, headings, tokens))
    taken = {anchor for _, anchor, _ in headings}
    for start, end in _between(tokens, "table"):
        _name_terms(tokens[start:end], taken)
        _stack(tokens[start:end])
    shown = _folded(tokens) if len(_source(name)) > MOST_UNFOLDED else tokens
    html = mark_safe(_parser().renderer.render(shown, _parser().options, {}))
    return Page(name, title, html, sections)


def _folded(tokens: list[Token]) -> list[Token]:
    """Each chapter after the first behind its title; a link into a closed one opens it."""
    starts = [n for n, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"][1:]
    pieces = [tokens[: starts[0]]] if starts else [tokens]
    for start, end in pairwise([*starts, len(tokens)]):
        tokens[start].attrs["class"] = "unseen"
        summary = format_html("<details><summary>{}</summary>", tokens[start + 1].content.replace("`", ""))
        pieces.append([_raw(summary), *tokens[start:end], _raw("</details>")])
    return [token for piece in pieces for token in piece]


def _raw(html: str) -> Token:
    token = Token("html_block", "", 0)
    token.content = html
    return token


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("fence", _fence)
    return parser


def _table_open(self: RendererHTML, tokens: Sequence[Token], index: int, *args: object) -> str:
    """Open a table, named after its chapter, in a uniquely named frame, which scrolls by itself, also by keyboard."""
    number = sum(token.type == "table_open" for token in tokens[: index + 1])
    chapter = next(n for n in range(index, -1, -1) if tokens[n].type == "heading_open")
    return format_html(
        '<div class="scroll" tabindex="0" role="region" aria-label="Table {}"><table class="{}">'
        '<caption class="unseen">{}</caption>',
        number,
        tokens[index].attrs.get("class", "table"),
        tokens[chapter + 1].content.replace("`", ""),
    )


def _table_close(self: RendererHTML, *args: object) -> str:
    return "</table></div>"


def _fence(self: RendererHTML, tokens: Sequence[Token], index: int, *args: Any) -> str:
    """Render code inside a uniquely named frame, which scrolls by keyboard too, with a button that copies it."""
    number = sum(token.type == "fence" for token in tokens[: index + 1])
    start = f'<pre id="code-{number}" tabindex="0" role="group" aria-label="Code {number}">'
    code = RendererHTML.fence(self, tokens, index, *args).replace("<pre>", start, 1)
    return f'<div class="curl">{code}{copy(element=f"code-{number}", label=f"Copy code {number}")}</div>'


def _flat(tokens: list[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def _name_page(link: Token, inner: Token) -> None:
    """Replace the file name of a document in a link by its title."""
    if link.type == "link_open" and inner.content == link.attrs["href"] and inner.content.endswith(".md"):
        inner.content = title_of(inner.content.removesuffix(".md"))


def _head_column(opened: Token, inside: Token, closed: Token) -> None:
    """Say that a head of a table is that of its column; an empty one is an ordinary cell."""
    if opened.type != "th_open":
        return
    if inside.content.strip():
        opened.attrs["scope"] = "col"
    else:
        opened.tag = closed.tag = "td"


def _between(tokens: list[Token], kind: str) -> Iterator[tuple[int, int]]:
    """Where elements of a kind begin and end; those of documents are not inside each other."""
    starts = [n for n, token in enumerate(tokens) if token.type == f"{kind}_open"]
    ends = [n + 1 for n, token in enumerate(tokens) if token.type == f"{kind}_close"]
    return zip(starts, ends, strict=True)


def _stack(table: list[Token]) -> None:
    """Let the rows of a wide table become blocks on a phone, each cell under the head of its column.

    So do those of a table of long names, which a narrow column would break inside their words.
    """
    rows = [table[start:end] for start, end in _between(table, "tr")]
    heads = [token.content for token in rows[0] if token.type == "inline"]
    named = len(heads) > 2 and _has_long_names(rows[1:])
    if len(heads) < WIDE and not named:
        return
    table[0].attrs["class"] = "table stacks named" if named else "table stacks"
    columns = zip(*(list(_between(row, "td")) for row in rows[1:]), strict=True)
    for n, (head, places) in enumerate(zip(heads, columns, strict=True)):
        cells = [row[start:end] for row, (start, end) in zip(rows[1:], places, strict=True)]
        is_long = max(len(_said(cell[1])) for cell in cells) > SENTENCE
        for cell in cells:
            _stand(cell, n, head, is_long)


def _has_long_names(rows: list[list[Token]]) -> bool:
    first = [next(token.content for token in row if token.type == "inline") for row in rows]
    return all(map(NAME.fullmatch, first)) and max(map(len, first)) > LONG_NAME


def _stand(cell: list[Token], column: int, head: str, is_long: bool) -> None:
    """Name a cell by its head, which a first sentence about the name needs not. Short cells break nowhere."""
    opened, inside, closed = cell
    if column == 0 and inside.content:
        opened.tag = closed.tag = "th"
        opened.attrs["scope"] = "row"
    elif is_long:
        opened.attrs["class"] = "whole"
    if column > 1 or (column and not is_long):
        opened.attrs["data-name"] = head
    if len(_said(inside)) <= UNBROKEN:
        for token in inside.children or ():
            token.content = token.content.replace(" ", NO_BREAK)


def _link_inside(token: Token) -> None:
    """Make links to other documents and images point to their pages here."""
    if token.type == "link_open" and (match := DOCUMENT.fullmatch(str(token.attrs["href"]))):
        token.attrs["href"] = reverse("manual-page", args=[match[1]]) + (match[2] or "")
    if token.type == "image" and (match := IMAGE.fullmatch(str(token.attrs["src"]))):
        token.attrs["src"] = reverse("manual-image", args=[match[1], match[2]])


def _anchor(text: str) -> str:
    """The id of a heading or a term.

    >>> _anchor("Role of a column")
    'role-of-a-column'
    """
    return "".join(kept for kept in text.lower() if kept.isalnum() or kept in "_- ").replace(" ", "-")


def _name_terms(table: list[Token], taken: set[str]) -> None:
    """Give each term of a table of terms an id, so that a link can lead to it."""
    rows = [table[start:end] for start, end in _between(table, "tr")]
    if _said(rows[0][2]) != "Term":
        return
    for row in rows[1:]:
        anchor = _anchor(_said(row[2]))
        if anchor not in taken:
            row[0].attrs["id"] = anchor
            taken.add(anchor)


def _add_anchors(tokens: list[Token]) -> list[tuple[int, str, str]]:
    """Give headings ids like GitHub's; returns their indices among the tokens, ids and texts."""
    headings = []
    for n, token in enumerate(tokens):
        if token.type == "heading_open":
            text = tokens[n + 1].content.replace("`", "")
            anchor = token.attrs["id"] = _anchor(text)
            headings.append((n, anchor, text))
    return headings


def _sections(
    name: str, title: str, headings: list[tuple[int, str, str]], tokens: list[Token]
) -> list[Section]:
    ends = [n for n, _, _ in headings[1:]] + [len(tokens)]
    return [
        Section(name, title, text, anchor, _text(tokens[start + 3 : end]))
        for (start, anchor, text), end in zip(headings, ends, strict=True)
    ]


def _text(tokens: list[Token]) -> str:
    """What the tokens say, without their markup."""
    return " ".join(" ".join(_said(token).split()) for token in tokens if token.content)


def _said(token: Token) -> str:
    if not token.children:
        return token.content
    return "".join(" " if child.type.endswith("break") else child.content for child in token.children)


# ---- search ------------------------------------------------------------------------------------------------


def search(words: str) -> list[tuple[Section, SafeString]]:
    """Sections that contain every word, those with words in their title first; each with a snippet."""
    search_words = words.lower().split()
    if not search_words:
        return []
    hits = [
        section
        for name in sorted(names())
        for section in page_of(name).sections
        if all(
            word in f"{section.page_title} {section.title} {section.text}".lower() for word in search_words
        )
    ]
    hits.sort(key=lambda section: -_weight(section, search_words))
    return [(section, snippet(section.text, search_words)) for section in hits[:MOST_HITS]]


def _weight(section: Section, words: list[str]) -> int:
    title, text = section.title.lower(), section.text.lower()
    return sum(100 * (word in title) + min(text.count(word), 10) for word in words)


def snippet(text: str, words: list[str]) -> SafeString:
    """The text around the first match, escaped, with the words marked.

    >>> snippet("A chunk is leased for 60 <s>.", ["leased"])
    'A chunk is <mark>leased</mark> for 60 &lt;s&gt;.'
    """
    starts = [at for word in words if (at := text.lower().find(word)) >= 0]
    start = max(0, min(starts, default=0) - SNIPPET // 2)
    if start:  # with a whole word
        start = text.find(" ", start) + 1 or start
    part = text[start : start + SNIPPET]
    if start + SNIPPET < len(text):
        part = part.rsplit(" ", 1)[0]
    pieces = Pattern(f"({'|'.join(map(literal, words))})", ignore_case=True).split(part)
    marked = format_html_join("", "{}{}", ((piece, _mark(word)) for piece, word in _pairs(pieces)))
    return SafeString(("…" if start else "") + marked + ("…" if start + SNIPPET < len(text) else ""))


def _pairs(pieces: list[str]) -> list[tuple[str, str]]:
    """Pairs of text and match, from the list that `split` with a group returns."""
    return list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))


def _mark(word: str) -> SafeString:
    return format_html_join("", "<mark>{}</mark>", [(word,)] if word else [])


urlpatterns = [
    path("docs/", manual, name="manual"),
    path("docs/<slug:name>/", manual_page, name="manual-page"),
    path("docs/<slug:name>.<slug:kind>", manual_image, name="manual-image"),
]
