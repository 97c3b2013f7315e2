"""The rate limits of calls with one key."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from evaluations.access import limits


class PerKey(BaseThrottle):
    """At most `EVALSITE_API_RATE` calls a minute with one key; then 429 with Retry-After."""

    seconds = 0
    counted = "key"

    @property
    def rate(self) -> int:
        return int(settings.EVALSITE_API_RATE)

    def allow_request(self, request: Request, view: object) -> bool:
        if request.auth is not None and self.rate:
            self.seconds = limits.wait(f"{self.counted} {request.auth.pk}", self.rate)
        return not self.seconds

    def wait(self) -> int:
        return self.seconds


class PromptsPerKey(PerKey):
    """At most `EVALSITE_PROMPT_RATE` prompts a minute with one key, counted apart from its other calls.

    Programs that answer users fetch them, and must not wait for a pipeline that uploads with the same key.
    """

    counted = "prompts of key"

    @property
    def rate(self) -> int:
        return int(settings.EVALSITE_PROMPT_RATE)
