"""A cache of whole columns of completed scorings, which never change and which pages read often.

The key is the stamp of the scoring; the least recently used column is evicted first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluations import long_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.models import Scoring
from evaluations.process_cache import ProcessCache

from . import columns
from .columns import Slots

MOST_BYTES = 96_000_000  # nine columns of a million scores
MOST_IN_FILES = 800_000_000  # eight columns of ten million: those of a run with five evaluators stay
Key = tuple[int, int | None, str, int]


@dataclass(frozen=True)
class Column:
    """The `slots` of a scoring, one for each of these `positions`."""

    slots: Slots
    positions: Positions


def _in_memory(column: Column) -> int:
    arrays = column.slots.values, column.slots.passed, column.slots.status
    return sum(array.nbytes for array in arrays if not long_arrays.is_in_file(array))


process_cache: ProcessCache[Key, Column] = ProcessCache(
    "scores", MOST_BYTES, lambda column: column.slots.nbytes
)
long_cache: ProcessCache[Key, Column] = ProcessCache(
    "scores in files", MOST_IN_FILES, lambda column: column.slots.nbytes, _in_memory
)


def load(scorings: Iterable[Scoring], positions: Positions) -> dict[int, Slots]:
    """The read-only columns by scoring id, with a slot for each of `positions`; the runs share a dataset version."""
    scorings_by_id = {scoring.pk: scoring for scoring in scorings}
    cached_columns = {pk: column for pk, scoring in scorings_by_id.items() if (column := cached(scoring))}
    by_id = {
        pk: column.slots for pk, column in cached_columns.items() if column.positions.key == positions.key
    }
    if unread := scorings_by_id.keys() - by_id.keys():
        for pk, slots in columns.load_many(unread, positions).items():
            by_id[pk] = slots
            _keep(scorings_by_id[pk], Column(slots, positions))
    return by_id


def warm(scorings: Sequence[Scoring], positions: Positions) -> None:
    """Load columns into the cache with one query, before they are used one by one."""
    load((scoring for scoring in scorings if scoring.summary is not None), positions)


def fits(number: int, length: int) -> bool:
    """Whether `number` columns of about `length` slots are few enough to be kept, for what reads each of them once."""
    return number * 10 * max(length, columns.CHUNK) <= MOST_BYTES


def cached(scoring: Scoring) -> Column | None:
    """The cached column, or None; never reads the database."""
    return process_cache.get(scoring.stamp) or long_cache.get(scoring.stamp)


def _keep(scoring: Scoring, column: Column) -> None:
    column.slots.freeze()
    if scoring.summary is not None:
        is_long = long_arrays.is_in_file(column.slots.values)
        (long_cache if is_long else process_cache).put(scoring.stamp, column)
