"""A Redis in Python, where no Redis program can be had: `python -m evalsite.small_redis SOCKET`.

It carries the messages and counters of one site, some thousand commands a second; a real Redis does a hundred times
as many. It keeps nothing on disk and asks for no password: the folder of its socket keeps everybody else out.
"""

import signal
import socket
import sys

from fakeredis import TcpFakeServer


class SmallRedis(TcpFakeServer):
    """fakeredis' server, on a Unix socket, whose clients have no address: a number tells them apart."""

    address_family = socket.AF_UNIX

    def __init__(self, path: str) -> None:
        super().__init__((path, 0))
        self.daemon_threads = True

    def server_bind(self) -> None:
        self.socket.bind(str(self.server_address[0]))

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        connection, _ = self.socket.accept()
        return connection, ("socket", next(self.client_ids))


def main(path: str) -> None:
    server = SmallRedis(path)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
