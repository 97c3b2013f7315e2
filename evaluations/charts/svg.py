"""SVG elements that all drawings use."""

from collections.abc import Iterable, Sequence

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from evaluations.numerals import MINUS


def picture(name: str, width: int, height: int, label: str, drawn: SafeString) -> SafeString:
    """A drawing that screen readers read as one image, with its numbers as the label."""
    return format_html(
        '<svg class="{0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}" role="img" aria-label="{3}">'
        "<title>{3}</title>{4}</svg>",
        *(name, width, height, label, drawn),
    )


def anchor(inner: str, address: str) -> SafeString:
    """The element as a link; unchanged if the address is empty."""
    return format_html('<a href="{}">{}</a>', address, inner) if address else conditional_escape(inner)


def mark(inner: SafeString, title: str, address: str) -> SafeString:
    """A part of a drawing with a tooltip. Its link is for the mouse; keyboard users find the same link in the table."""
    wrap = (
        '<a href="{0}" tabindex="-1"><title>{1}</title>{2}</a>' if address else "<g><title>{1}</title>{2}</g>"
    )
    return format_html(wrap, address, title, inner)


def numbers(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> SafeString:
    """The numbers of a drawing as a table, which is hidden until it gets the focus and then opens with one key."""
    return format_html(
        '<details class="numbers"><summary>{0}</summary><table class="table"><caption class="unseen">{0}</caption>'
        "<thead><tr>{1}</tr></thead><tbody>{2}</tbody></table></details>",
        title,
        format_html_join("", '<th scope="col" class="number">{}</th>', ((head,) for head in heads)),
        join(format_html("<tr>{}</tr>", _cells(row)) for row in rows),
    )


def _cells(row: Sequence[str]) -> SafeString:
    return format_html_join("", '<td class="number">{}</td>', ((cell,) for cell in row))


def join(parts: Iterable[SafeString]) -> SafeString:
    return SafeString("".join(map(conditional_escape, parts)))


def px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def plain(value: float) -> str:
    return f"{value:.6g}".replace("-", MINUS)
