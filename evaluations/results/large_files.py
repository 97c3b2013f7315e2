"""Limits how many large files a web process writes at once, so that other threads can answer pages."""

from collections.abc import Generator, Hashable, Iterator
from contextlib import ExitStack

from evaluations.access import limits

LARGE = 20_000  # rows; a smaller file takes at most two seconds
BUSY = "Too many large files are being exported at once. Try again when one of them is done."


def limited(content: Iterator[bytes], rows: int, person: Hashable) -> Iterator[bytes]:
    """The content of a file with `rows` rows, for this person.

    Raises `TooManyRequests` for a large file if too many are being written, or if all but one are the person's.
    """
    return content if rows < LARGE else _LimitedContent(content, person)


class _LimitedContent(Iterator[bytes]):
    """Content that counts in `limits.EXPORTS` until it was read or closed."""

    def __init__(self, content: Iterator[bytes], person: Hashable) -> None:
        self._content = content
        self._hold = ExitStack()
        self._hold.enter_context(limits.EXPORTS.hold(person, BUSY))

    def __next__(self) -> bytes:
        try:
            return next(self._content)
        except BaseException:
            self._hold.close()
            raise

    def close(self) -> None:
        """Stop counting; the server calls this when the client has received everything or has disconnected."""
        self._hold.close()
        if isinstance(self._content, Generator):
            self._content.close()
