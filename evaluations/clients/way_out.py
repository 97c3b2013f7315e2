"""How calls leave the site: through a proxy, and with a certificate authority of the operator's own."""

import base64
import ipaddress
from dataclasses import dataclass
from urllib.parse import unquote

import httpcore2
import httpx2

from evaluations.clients.hosts import Address, literal_address, normal_host
from evaluations.clients.service_error import ServiceError

LONGEST_HEAD = 16_384  # bytes of a proxy's answer


@dataclass(frozen=True)
class WayOut:
    """The operator's settings for outgoing calls.

    `proxy` is "" or the URL of an HTTP proxy, such as http://user:password@proxy:3128. `direct` are the hosts, domains
    (.example.com), addresses and networks that are called without it, and "*" for all; this machine always is.
    `ca_file` is "" or the path of a PEM file with further trusted certificates.
    """

    proxy: str = ""
    direct: tuple[str, ...] = ()
    ca_file: str = ""

    def needs_proxy(self, host: str, port: int) -> bool:
        """Whether a host is called through the proxy."""
        if not self.proxy:
            return False
        name, address = normal_host(host), literal_address(host)
        if name == "localhost" or (address and address.is_loopback):
            return False
        return not any(_names(entry, name, port, address) for entry in self.direct)


NO_PROXY = WayOut()


def _names(entry: str, name: str, port: int, address: Address | None) -> bool:
    """Whether an entry of NO_PROXY means this host."""
    if entry == "*":
        return True
    if address is not None:
        try:
            network = ipaddress.ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            return False
        return network.version == address.version and address in network
    wanted, _, only_port = entry.partition(":")
    if only_port and only_port != str(port):
        return False
    wanted = normal_host(wanted.removeprefix("*").removeprefix("."))
    return bool(wanted) and (name == wanted or name.endswith(f".{wanted}"))


def address_of(proxy: str) -> tuple[str, int]:
    """The host and the port of a proxy; raises ValueError for a URL that names none."""
    try:
        url = httpx2.URL(proxy)
    except httpx2.InvalidURL as error:
        raise ValueError(f"{error}") from error
    if url.scheme != "http" or not url.host or url.path not in ("", "/"):
        raise ValueError("it must be http://host:port, with a user name and a password if needed")
    return url.host, url.port or 80


def tunnel(stream: httpcore2.NetworkStream, host: str, port: int, proxy: str) -> None:
    """Have a proxy connect a stream to a host; raises `ServiceError` if it does not."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
    url = httpx2.URL(proxy)
    if url.userinfo:
        login = f"{unquote(url.username)}:{unquote(url.password)}".encode()
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(login).decode()}")
    stream.write("\r\n".join([*lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        received = stream.read(LONGEST_HEAD)
        head += received
        if not received or len(head) > LONGEST_HEAD:
            raise _refused(host, "it closed the connection")
    status = head.split(b"\r\n", 1)[0].split(b" ")[1:2]
    if status in ([b"407"], [b"401"]):  # tinyproxy says 401
        code = status[0].decode()
        raise _refused(host, f"it asks for another user name or password ({code})", permanent=True)
    if status == [b"403"]:
        raise _refused(host, f"its rules do not allow {host} or port {port} (403)")
    if not status or not status[0].startswith(b"2"):
        answer = status[0][:3].decode("ascii", "replace") if status else "no status"
        raise _refused(host, f"it answered {answer}")


def _refused(host: str, reason: str, *, permanent: bool = False) -> ServiceError:
    message = f"The proxy of this site did not connect to {host}: {reason}."
    return ServiceError(message, permanent=permanent, code="proxy_refused" if permanent else "unreachable")
