"""Authentication of API calls by key."""

from typing import cast

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from evaluations.access import api_keys, limits
from evaluations.access.addresses import client_address, client_network
from evaluations.models import ApiKey

WRONG_KEYS = 60  # per minute and address


def key_of(request: Request) -> ApiKey:
    """The key of a request that was let in."""
    return cast(ApiKey, request.auth)


class KeyAuthentication(BaseAuthentication):
    """Accepts `Authorization: Bearer evk_…` only: no cookie, no query parameter."""

    def authenticate(self, request: Request) -> tuple[ApiKey, ApiKey] | None:
        scheme, _, text = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        key = api_keys.find_key(text.strip().decode("latin-1"))
        if key is None:
            # Counted after the look-up, so that wrong keys do not block valid ones.
            if settings.EVALSITE_API_RATE:
                limits.require(f"wrong key {client_network(request)}", WRONG_KEYS, "Too many wrong keys.")
            raise AuthenticationFailed("This key is unknown, revoked or expired, or its owner has left.")
        api_keys.require_address(key, client_address(request))
        return key, key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Evalsite"'
