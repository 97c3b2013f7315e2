"""The markup of a page for tests, without the white space of its template."""

import re

from django.http import HttpResponse


def compact(html: str) -> str:
    """The markup with one space between attributes and words, and none beside tags."""
    return re.sub(r"\s*(<[^>]*?)\s*(/?>)\s*", r"\1\2", re.sub(r"\s+", " ", html))


def markup(response: HttpResponse) -> str:
    """The page of a response, compact."""
    return compact(response.content.decode())
