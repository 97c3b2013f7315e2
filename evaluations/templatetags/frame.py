"""Tags of the frame around pages, and of pages without sign-in."""

from functools import lru_cache

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString

from evaluations import charts

register = template.Library()


@register.simple_tag
@lru_cache(maxsize=1_000)
def address(name: str, *args: str) -> str:
    """The address of a page by its name; cached, for the links that every page of a project has."""
    return reverse(name, args=args)


@register.simple_tag
def version() -> str:
    return settings.VERSION


@register.simple_tag
def oidc_name() -> str:
    """The name of the OpenID Connect provider; "" if there is none."""
    return settings.OIDC_NAME if settings.OIDC else ""


@register.simple_tag
def caterpillar() -> SafeString:
    return charts.caterpillar()
