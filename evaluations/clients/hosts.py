"""Hosts as they are written in addresses."""

import ipaddress
import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address
from typing import TypeAlias

from evaluations.linear import Pattern

Address: TypeAlias = IPv4Address | IPv6Address
SPELLED_AS_NUMBERS = Pattern(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}")


def literal_address(host: str) -> Address | None:
    """The IP address that a host spells, including forms of `inet_aton` (127.1, 0x7f000001); None for a name."""
    host = normal_host(host)
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        pass
    if not SPELLED_AS_NUMBERS.fullmatch(host):
        return None
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def normal_host(host: str) -> str:
    """The host in lower case, with compatibility characters folded and without a trailing dot."""
    return unicodedata.normalize("NFKC", host).lower().rstrip(".")
