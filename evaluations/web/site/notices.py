"""Notices for the next page, in a cookie of this site's own: another site may be on the same host."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class InCookie(CookieStorage):
    cookie_name = f"notices-{settings.COOKIE_SUFFIX}"


class Notices(FallbackStorage):
    storage_classes = (InCookie, SessionStorage)
