"""A process whose clock is wrong, as on a host without time service. Only who asks Python for the time notices."""

import datetime
import sys
import time


def shift(seconds: float) -> None:
    """Set the clock ahead, or back; to be called before others take `datetime` or `time` by name."""
    if not seconds:
        return
    plain, now, by = datetime.datetime, time.time, datetime.timedelta(seconds=seconds)

    class Kind(type):
        def __instancecheck__(cls, thing: object) -> bool:
            return isinstance(thing, plain)

    class Shifted(plain, metaclass=Kind):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return plain.now(tz) + by

    time.time = lambda: now() + seconds
    datetime.datetime = Shifted
    sys.stdout.write(f"The clock of this process is wrong by {wrong_by():.0f} s.\n")


def wrong_by() -> float:
    """The seconds between Python's clock and the kernel's."""
    return datetime.datetime.now(datetime.UTC).timestamp() - time.clock_gettime(time.CLOCK_REALTIME)
