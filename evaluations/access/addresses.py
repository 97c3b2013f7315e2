"""The address of the client of a request, and the public address of the site."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
OF_ONE_CUSTOMER = 64  # prefix length of the IPv6 network that a provider gives to one customer


def proxies_name_clients() -> bool:
    """Whether the address that a request comes from is that of a proxy, which names the client in a header."""
    return bool(settings.TRUSTED_PROXIES)


def client_address(request: HttpRequest) -> str:
    """The address of the client that sent a request, as the outermost trusted proxy saw it, without a port."""
    return _client(str(request.META.get("REMOTE_ADDR", "")), request.headers.get("X-Forwarded-For", ""))


def client_network(request: HttpRequest) -> str:
    """The network that rate limits count as one client: an IPv4 address, or the first address of a /64 of IPv6."""
    return network(client_address(request))


def network(peer: str, forwarded_for: str = "") -> str:
    """The network of the client behind a peer's address and the header X-Forwarded-For, like `client_network`."""
    address = _parsed(_client(peer, forwarded_for))
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, OF_ONE_CUSTOMER), strict=False).network_address)
    return str(address or "")


def _client(peer: str, forwarded_for: str) -> str:
    """Each proxy appends the address of its caller to X-Forwarded-For. With n trusted proxies the n-th entry from the
    right is true; the client can write anything left of it.
    """
    hops = [hop.strip() for hop in forwarded_for.split(",") if hop.strip()]
    if 0 < settings.TRUSTED_PROXIES <= len(hops) and (address := _parsed(hops[-settings.TRUSTED_PROXIES])):
        return str(address)
    return peer


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """The address in a notation that proxies write: `::1`, `[::1]`, `[::1]:80`, `192.0.2.1:80`; None for others."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def serves_only_here() -> bool:
    """Whether the site serves this machine alone: its own address is a loopback one, and no proxy is before it."""
    return urlsplit(settings.URL).hostname in LOOPBACK and not settings.TRUSTED_PROXIES


def is_only_here(request: HttpRequest) -> bool:
    """Whether the site serves this machine alone, and the request comes from it, without a proxy between them."""
    caller = _parsed(request.META.get("REMOTE_ADDR", ""))
    forwarded = {"X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "Forwarded", "Via"} & set(
        request.headers
    )
    return serves_only_here() and not forwarded and caller is not None and caller.is_loopback


def public_address(request: HttpRequest, path: str) -> str:
    """The absolute URL of a path, for links that people pass on: below EVALSITE_URL, else below the request's host.

    A request names its host as it likes: a port at which this site does not listen is not believed.
    """
    port = urlsplit(f"//{request.get_host()}").port
    if settings.GIVEN_URL or port not in (None, settings.PORT):
        return f"{settings.ORIGIN}{path}"
    return request.build_absolute_uri(path)
