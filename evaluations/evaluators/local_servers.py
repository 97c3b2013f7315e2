"""Servers on this machine that connections may call, allowed by one click instead of a setting and a restart.

Only where the site serves this machine alone: on a site with an address of its own, allowed servers count no more.
"""

from django.contrib.auth.models import User

from evaluations.access import accounts
from evaluations.access.addresses import serves_only_here
from evaluations.clients.hosts import literal_address, normal_host
from evaluations.clients.service_error import ServiceError
from evaluations.clients.urls import host_and_port
from evaluations.errors import Forbidden, Invalid
from evaluations.models import LocalServer


def entries() -> list[str]:
    """The allowed servers, as `Guard` reads them."""
    return [str(server) for server in LocalServer.objects.all()] if serves_only_here() else []


def allow(user: User, base_url: str) -> LocalServer:
    """Let connections of all projects call this host and port from now on; raises `Invalid` for any other machine."""
    accounts.require_administrator(user)
    if not serves_only_here():
        raise Forbidden(
            "forbidden", "This site has an address of its own, so only its operator can allow servers."
        )
    if (server := of_address(base_url)) is None:
        sentence = "Only a server on this machine can be allowed here."
        raise Invalid("address_not_allowed", sentence, fields={"base_url": [sentence]})
    host, port = server
    return LocalServer.objects.get_or_create(host=host, port=port, defaults={"allowed_by": user})[0]


def withdraw(user: User, server: LocalServer) -> None:
    """Refuse calls to this server from now on."""
    accounts.require_administrator(user)
    server.delete()


def of_address(base_url: str) -> tuple[str, int] | None:
    """The host and port of a server on this machine; None for any other address.

    >>> of_address("http://localhost:11434/v1"), of_address("http://10.0.0.1/v1")
    (('localhost', 11434), None)
    """
    try:
        host, port = host_and_port(base_url)
    except ServiceError:
        return None
    literal = literal_address(host)
    is_local = literal.is_loopback if literal else normal_host(host) == "localhost"
    return (normal_host(host).strip("[]"), port) if is_local else None
