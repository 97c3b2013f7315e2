"""Large files: a web process makes only a few at once, so that its other threads can answer pages."""

from collections.abc import Generator, Hashable, Iterator
from contextlib import ExitStack

from evaluations.access import limits

LARGE = 20_000  # rows; a smaller file takes a second or two
BUSY = "Too many large files are being exported at once. Try again when one of them is done."


def limited(content: Iterator[bytes], rows: int, person: Hashable) -> Iterator[bytes]:
    """The content of a file of `rows` rows for a person, by any name.

    Raises `TooManyRequests` if it is large, and all places are in use or the person has all but one of them.
    """
    return content if rows < LARGE else _LimitedContent(content, person)


class _LimitedContent(Iterator[bytes]):
    """Content that holds one of `limits.EXPORTS` until it has been read or is closed."""

    def __init__(self, content: Iterator[bytes], person: Hashable) -> None:
        self._content = content
        self._place = ExitStack()
        self._place.enter_context(limits.EXPORTS.hold(person, BUSY))

    def __next__(self) -> bytes:
        try:
            return next(self._content)
        except BaseException:
            self._place.close()
            raise

    def close(self) -> None:
        """Called by the server when the client has received everything, or has disconnected."""
        self._place.close()
        if isinstance(self._content, Generator):
            self._content.close()
