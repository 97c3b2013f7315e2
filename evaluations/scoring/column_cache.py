"""Whole columns of scorings that have ended. They never change, and pages read them again and again.

The key is the scoring and the job that computed it; the column unused for longest is dropped first.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from evaluations.models import Scoring
from evaluations.process_cache import ProcessCache

from . import columns
from .columns import Slots

MOST_BYTES = 96_000_000  # Nine columns of a million.
Key = tuple[int, int | None, datetime]
process: ProcessCache[Key, Slots] = ProcessCache(MOST_BYTES, lambda slots: slots.nbytes)


def load(scorings: Iterable[Scoring], length: int = 0) -> dict[int, Slots]:
    """The columns by scoring id, read-only, all as long as the longest and at least `length`."""
    wanted = {scoring.pk: scoring for scoring in scorings}
    by_id = {pk: slots for pk, scoring in wanted.items() if (slots := kept(scoring))}
    if unread := wanted.keys() - by_id.keys():
        for pk, slots in columns.load_many(unread).items():
            by_id[pk] = slots
            _keep(wanted[pk], slots)
    longest = max([length, *map(len, by_id.values())])
    return {pk: slots.stretched(longest) for pk, slots in by_id.items()}


def warm(scorings: Sequence[Scoring], length: int) -> None:
    """Read with one query, before they are used one by one, if all can be kept."""
    if fits(len(scorings), length):
        load(scoring for scoring in scorings if scoring.summary is not None)


def fits(number: int, length: int) -> bool:
    """Whether so many columns of about `length` can be kept."""
    return number * 10 * max(length, columns.CHUNK) <= MOST_BYTES


def kept(scoring: Scoring) -> Slots | None:
    """The column if this process has it; nothing is read."""
    return process.get(_key(scoring))


def _key(scoring: Scoring) -> Key:
    return scoring.pk, scoring.job_id, scoring.created_at


def _keep(scoring: Scoring, slots: Slots) -> None:
    slots.freeze()
    if scoring.summary is not None:
        process.put(_key(scoring), slots)
