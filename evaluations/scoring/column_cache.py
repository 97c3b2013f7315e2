"""Columns of scorings that have ended, kept in the process: they never change, and pages ask for them again.

Kept under the id of the scoring and of the job that computed it; what was not asked for longest leaves first.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime
from threading import Lock

from evaluations.models import Scoring

from . import columns
from .columns import Slots

MOST_BYTES = 96_000_000  # Nine columns of a million.
Key = tuple[int, int | None, datetime]
_kept: OrderedDict[Key, Slots] = OrderedDict()
_lock = Lock()


def of(scorings: Iterable[Scoring], length: int = 0) -> dict[int, Slots]:
    """The whole columns by scoring, all as long as the longest and at least `length`; they cannot be written to."""
    wanted = {scoring.pk: scoring for scoring in scorings}
    found = {pk: slots for pk, scoring in wanted.items() if (slots := kept(scoring))}
    if lacking := wanted.keys() - found.keys():
        for pk, slots in columns.load_many(lacking).items():
            found[pk] = slots
            _keep(wanted[pk], slots)
    longest = max([length, *map(len, found.values())])
    return {pk: slots.stretched(longest) for pk, slots in found.items()}


def warm(scorings: Sequence[Scoring], length: int) -> None:
    """Read columns of about `length` with one query that will be asked for one by one: as many as can be kept."""
    ended = [scoring for scoring in scorings if scoring.summary is not None]
    of(ended[: MOST_BYTES // (10 * max(length, columns.CHUNK))])


def _key(scoring: Scoring) -> Key:
    return scoring.pk, scoring.job_id, scoring.created_at


def kept(scoring: Scoring) -> Slots | None:
    """The column if it is kept, without reading it otherwise."""
    with _lock:
        if found := _kept.get(_key(scoring)):
            _kept.move_to_end(_key(scoring))
        return found


def _keep(scoring: Scoring, slots: Slots) -> None:
    slots.freeze()
    if scoring.summary is None or slots.nbytes > MOST_BYTES:
        return
    with _lock:
        _kept[_key(scoring)] = slots
        while sum(slots.nbytes for slots in _kept.values()) > MOST_BYTES:
            _kept.popitem(last=False)
