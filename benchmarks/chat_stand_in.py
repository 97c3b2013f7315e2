"""A stand-in model server that answers every chat completion after a fixed time.

`python -m benchmarks.chat_stand_in SECONDS [LIMIT [HOST [PORT]]]` prints its port, and runs until it is stopped. It
uses as little processor time as possible, so that its callers are measured. With a LIMIT other than 0, it refuses what
exceeds so many calls in any second. A GET answers how many calls it has taken.
"""

import asyncio
import json
import sys
import time
from collections import deque

ANSWER = json.dumps(
    {
        "id": "stand-in",
        "object": "chat.completion",
        "created": 0,
        "model": "stand-in",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "An answer of five words."},
            }
        ],
        "usage": {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
RESPONSE = HEAD % len(ANSWER) + ANSWER
COUNT = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
REFUSAL = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\n{}"


async def serve(seconds: float, limit: int = 0, host: str = "127.0.0.1", port: int = 0) -> None:
    accepted = deque[float]()
    taken = 0

    def is_refused() -> bool:
        now = time.monotonic()
        while accepted and accepted[0] <= now - 1.0:
            accepted.popleft()
        if limit and len(accepted) >= limit:
            return True
        accepted.append(now)
        return False

    async def serve_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        while head := await _head(reader):
            if head.startswith(b"GET"):
                writer.write(COUNT % (len(counted := b"%d" % taken), counted))
                continue
            await reader.readexactly(_length(head))
            taken += 1
            if is_refused():
                writer.write(REFUSAL)
                continue
            await asyncio.sleep(seconds)
            writer.write(RESPONSE)
        writer.close()

    server = await asyncio.start_server(serve_connection, host, port, backlog=512)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


async def _head(reader: asyncio.StreamReader) -> bytes:
    """The head of the next request; empty if the caller has disconnected."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""


def _length(head: bytes) -> int:
    _, _, after_name = head.lower().partition(b"content-length:")
    return int(after_name.partition(b"\r\n")[0] or 0)


if __name__ == "__main__":
    seconds, limit, host, port = [*sys.argv[1:], *("0", "127.0.0.1", "0")[len(sys.argv) - 2 :]]
    asyncio.run(serve(float(seconds), int(limit), host, int(port)))
