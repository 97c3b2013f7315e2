"""Work of requests that could hold the interpreter or take without end, done in two child processes within bounds."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from evaluations.children import Busy, Pool, TooMuchMemory, TooSlow
from evaluations.errors import TooLarge, TooManyRequests

SECONDS = 10.0  # for a page or a call
RETRY = 5  # seconds
pool = Pool(2)
P = ParamSpec("P")
T = TypeVar("T")


def call(
    doing: str, hint: str, seconds: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """The function's result; `doing`, such as "Scoring these texts", and `hint` are for who must be refused.

    Raises `TooLarge` if that takes too much time or memory, and `TooManyRequests` if others take both children.
    The function and its arguments are pickled, and so is an exception that it raises.
    """
    try:
        return pool.run(max(seconds, 0.0), function, *args, **kwargs)
    except Busy as busy:
        raise TooManyRequests(
            f"{doing} must wait: others have much of this kind done at once.", RETRY
        ) from busy
    except (TooSlow, TooMuchMemory) as problem:
        what = "time" if isinstance(problem, TooSlow) else "memory"
        raise TooLarge(
            "too_much_work",
            f"{doing} takes too much {what}: at most {max(seconds, SECONDS):.0f} seconds and 256 MB.",
            hint=hint,
        ) from problem
