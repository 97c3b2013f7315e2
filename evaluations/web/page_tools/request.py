"""The request as a page gets it, with what middleware has added to it."""

from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest as AnyRequest
from django.http import QueryDict
from django_htmx.middleware import HtmxDetails

from evaluations.models import Project

__all__ = ["RATER_LINKS", "AnyRequest", "HttpRequest", "posted"]
RATER_LINKS = "rater_links"  # in a session: the ids of links of raters, by task


class HttpRequest(AnyRequest):
    """A request of somebody who is signed in; pages for everybody take Django's own, `AnyRequest`.

    `id` is in the header X-Request-ID, `audited_thing` the object that its entry of the audit log is about.
    """

    user: User
    htmx: HtmxDetails
    id: str
    audited_thing: Model | None
    user_projects: list[Project]


def posted(request: AnyRequest) -> QueryDict | None:
    """What a form takes: the sent fields, or None if it is only shown."""
    return request.POST if request.method == "POST" else None
