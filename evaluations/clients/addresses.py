"""The policy for addresses that connections may call: public ones, and those that the operator lists."""

import ipaddress
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from evaluations.clients.hosts import Address, literal_address, normal_host
from evaluations.clients.service_error import ServiceError
from evaluations.clients.way_out import NO_PROXY, WayOut
from evaluations.linear import SPACE, Pattern

LISTED = Pattern(rf"(\[[0-9A-Fa-f:.]+\]|[^{SPACE}:/\[\]]+)(?::(\p{{Nd}}{{1,5}}))?")
# Metadata services, from which clouds give credentials; the operator cannot allow them.
NEVER_ALLOWED = [
    ipaddress.ip_network(network)
    for network in (
        "169.254.0.0/16",  # link-local; 169.254.169.254 nearly everywhere
        "100.100.100.200/32",  # Alibaba
        "192.0.0.192/32",  # Oracle
        "168.63.129.16/32",  # Azure
        "fe80::/10",
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::/32",  # Google
    )
]
NEVER_NAMES = {"metadata.google.internal", "metadata.goog", "metadata"}

NOT_PUBLIC = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
]
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
COMPATIBLE = ipaddress.IPv6Network("::/96")


@dataclass(frozen=True)
class _Listed:
    """A host name in the operator's list, and the only port allowed for it, if any."""

    host: str
    port: int | None


class Guard:
    """The address policy. `allowed` lists host names (with or without a port), addresses and networks.

    >>> Guard(["ollama:11434", "10.1.0.0/16"]).allows(ipaddress.ip_address("10.1.2.3"), "gpu", 80)
    True
    """

    def __init__(
        self,
        allowed: Iterable[str] = (),
        resolver: Callable[..., Any] = socket.getaddrinfo,
        out: WayOut = NO_PROXY,
    ) -> None:
        self.out = out
        self._networks = []
        self._hosts = []
        self._resolver = resolver
        for entry in allowed:
            try:
                self._networks.append(ipaddress.ip_network(entry, strict=False))
            except ValueError:
                self._hosts.append(_listed(entry))

    def allows(self, address: Address, host: str, port: int | None) -> bool:
        """Whether this address may be connected to, for a URL with this host and port."""
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        inside = _inside(address)
        if _is_never_allowed(address):
            return False
        if any(entry.host == normal_host(host) and entry.port in (None, port) for entry in self._hosts):
            return True
        return (_is_public(address) or _within(address, self._networks)) and (
            inside is None or _is_public(inside) or _within(inside, self._networks)
        )

    def addresses(self, host: str, port: int, seconds: float) -> list[Address]:
        """Resolve a host once; raises `ServiceError` unless every address is allowed."""
        if normal_host(host) in NEVER_NAMES:
            raise _not_allowed(host, port, never=True)
        literal = literal_address(host)
        resolved = [literal] if literal else self._resolve(normal_host(host), port, seconds)
        for address in resolved:
            if not self.allows(address, host, port):
                raise _not_allowed(host, port, never=_is_never_allowed(address))
        return resolved

    def check_for_proxy(self, host: str, port: int, seconds: float) -> None:
        """Raise `ServiceError` for a host that may not be called; one that only the proxy can resolve may be."""
        try:
            self.addresses(host, port, seconds)
        except ServiceError as error:
            if error.permanent or literal_address(host):
                raise

    def _resolve(self, host: str, port: int, seconds: float) -> list[Address]:
        # The system's resolver has no timeout, so it runs in a thread, and late answers are ignored.
        answers: SimpleQueue[list[Address] | OSError] = SimpleQueue()
        Thread(target=lambda: answers.put(self._looked_up(host, port)), daemon=True).start()
        try:
            answer = answers.get(timeout=max(seconds, 0.001))
        except Empty:
            message = f"The name {host} could not be resolved in time: the name server did not answer."
            raise ServiceError(message, permanent=False, code="unreachable") from None
        if isinstance(answer, OSError) or not answer:
            message = f"The name {host} does not resolve to an address. Check its spelling."
            raise ServiceError(message, permanent=False, code="unreachable")
        return answer

    def _looked_up(self, host: str, port: int) -> list[Address] | OSError:
        try:
            entries = self._resolver(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            return error if isinstance(error, OSError) else OSError(str(error))
        return list(dict.fromkeys(ipaddress.ip_address(entry[4][0].partition("%")[0]) for entry in entries))


def _not_allowed(host: str, port: int, *, never: bool) -> ServiceError:
    if never:
        message = f"{host} is a cloud metadata address, which connections can never call."
    else:
        entry = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        message = (
            f"{host} is not a public address and not allowed yet. To allow it, the operator of this site adds "
            f"{entry} to EVALSITE_PROVIDER_ALLOWED_HOSTS and restarts the site."
        )
    return ServiceError(message, permanent=True, code="address_not_allowed")


def _listed(entry: str) -> _Listed:
    match = LISTED.fullmatch(entry)
    if not match:
        raise ValueError(f"{entry!r} is not a host, host:port, address or network.")
    return _Listed(normal_host(match[1].strip("[]")), int(match[2]) if match[2] else None)


def _inside(address: Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 one, to which a gateway or tunnel may connect."""
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64 or (address in COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour or (address.teredo[1] if address.teredo else None)


def _is_never_allowed(address: Address) -> bool:
    """Whether the address, or the IPv4 address inside it, belongs to cloud metadata."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return any(_within(part, NEVER_ALLOWED) for part in (address, _inside(address)) if part)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST:
        return False
    return not _within(address, NOT_PUBLIC)


def _within(address: Address, networks: Iterable[Any]) -> bool:
    return any(address.version == network.version and address in network for network in networks)
