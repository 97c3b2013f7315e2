"""Pages for assertions: markup without the template's white space, and text."""

import re
from html import unescape

from django.http import HttpResponse


def compact(html: str) -> str:
    """The markup with one space between attributes and words, and none beside tags."""
    return re.sub(r"\s*(<[^>]*?)\s*(/?>)\s*", r"\1\2", re.sub(r"\s+", " ", html))


def markup(response: HttpResponse) -> str:
    """The page of a response, compact."""
    return compact(response.content.decode())


def text_of(page: str | HttpResponse) -> str:
    """The text of a page as one line; narrow spaces are spaces."""
    html = page if isinstance(page, str) else page.content.decode()
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html.replace("<wbr>", ""))).split())
