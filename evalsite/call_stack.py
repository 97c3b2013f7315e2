"""Room for deep calls, such as those of nested templates.

CPython keeps the frames of calls in blocks of 16 kB, and unmaps a block when the first call in it returns. A page that
calls and returns across the end of a block maps and unmaps memory thousands of times, up to a third of its time. Where
that end lies depends on everything that called before. A frame that needs more than a block gets a larger one, and
what it leaves of it has room for all that it calls.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
SIZE = 2**14  # words: 128 kB, so that the block has 256 kB, of which half stays free


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """The function, called from a frame with room for the frames of its calls."""

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    call.__code__ = call.__code__.replace(co_stacksize=SIZE)
    return call
