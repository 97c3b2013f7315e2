"""A process whose clock is wrong, as on a host without time service; only code that asks Python notices."""

import datetime
import sys
import time


def shift(seconds: float) -> None:
    """Set the clock ahead, or back; to be called before others take `datetime` or `time` by name."""
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
