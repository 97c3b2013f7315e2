"""A wrong clock in one process, as on a host without time synchronisation; only Python code notices it."""

import datetime
import sys
import time


def shift(seconds: float) -> None:
    """Shift the clock; call it before other modules import `datetime` or `time`."""
    if not seconds:
        return
    original, now, difference = datetime.datetime, time.time, datetime.timedelta(seconds=seconds)

    class Kind(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, original)

    class Shifted(original, metaclass=Kind):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return original.now(tz) + difference

    time.time = lambda: now() + seconds
    datetime.datetime = Shifted
    sys.stdout.write(f"The clock of this process is wrong by {wrong_by():.0f} s.\n")


def wrong_by() -> float:
    """The seconds between Python's clock and the kernel's."""
    return datetime.datetime.now(datetime.UTC).timestamp() - time.clock_gettime(time.CLOCK_REALTIME)
