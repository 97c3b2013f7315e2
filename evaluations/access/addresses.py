from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address a request came from, as the outermost trusted proxy saw it.

    Each proxy appends the address of its caller to X-Forwarded-For, so with n trusted proxies the n-th entry
    from the right is true and everything left of it is the caller's word.
    """
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    if 0 < settings.TRUSTED_PROXIES <= len(hops):
        return hops[-settings.TRUSTED_PROXIES]
    return request.META.get("REMOTE_ADDR", "")
