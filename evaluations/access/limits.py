"""Limits on calls per minute, on concurrent work in this process, and on queued work of a project.

Calls per minute are counted in the cache. If that is Redis, all web processes count together; otherwise each counts
its share alone. If the cache fails, nothing is limited, so that the site stays available.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from threading import BoundedSemaphore, Lock
from time import time as clock

from django.conf import settings
from django.core.cache import cache
from django.db.models import Q
from redis import RedisError

from evaluations.errors import TooManyRequests
from evaluations.models import Import, Project, Run
from evaluations.numerals import plural

from .shares import share

BUSY_FOR = 30  # seconds until a retry; a guess
SHORTLY = 5  # seconds until a retry


class Slots:
    """A fixed number of slots in this process; one person can hold all of them but one."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._lock = Lock()
        self._held_by = Counter[Hashable]()

    @contextmanager
    def hold(self, person: Hashable, sentence: str) -> Iterator[None]:
        """Hold a slot for `person`; raises `TooManyRequests` with the sentence if none is free for them."""
        with self._lock:
            if self._held_by.total() == self._total or self._held_by[person] == self._total - 1:
                raise TooManyRequests(sentence, SHORTLY)
            self._held_by[person] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held_by -= Counter([person])


# The web processes together have 16 threads for pages. These limit how many of them may wait for other servers,
# compute scores for a call, or write large files.
SERVER_CALLS = BoundedSemaphore(share(4))
SCORE_CALLS = BoundedSemaphore(share(8))
EXPORTS = Slots(max(2, share(4)))
# Large or packed files are read one after another, because a single one may take a hundred megabytes or more.
FILES = BoundedSemaphore(1)
DOWNLOADS = BoundedSemaphore(share(8))  # from the storage of uploads, if that is another server


def wait(name: str, maximum: int) -> int:
    """Count one call; returns 0, or above the limit the seconds until the next minute."""
    minute, second = divmod(int(clock()), 60)
    key = f"limit:{sha256(name.encode()).hexdigest()}:{minute}"
    try:
        cache.add(key, 0, timeout=120)
        count = cache.incr(key)
    except (RedisError, ValueError):  # ValueError: the counter was evicted meanwhile.
        return 0
    return 60 - second if count > (maximum if settings.CACHE_IS_SHARED else share(maximum)) else 0


def require(name: str, maximum: int, sentence: str) -> None:
    """Count one call; raises `TooManyRequests` with the sentence above the limit."""
    if seconds := wait(name, maximum):
        raise TooManyRequests(sentence, seconds)


@contextmanager
def one_of(slots: BoundedSemaphore, sentence: str, patience: float = 0) -> Iterator[None]:
    """Hold one of a few slots in this process; raises `TooManyRequests` if all are taken for `patience` seconds."""
    if not slots.acquire(timeout=patience):
        raise TooManyRequests(sentence, SHORTLY)
    try:
        yield
    finally:
        slots.release()


def require_room(project: Project) -> None:
    """Raise `TooManyRequests` when a project has as many runs and files in progress as the site allows."""
    maximum = settings.EVALSITE_PROJECT_QUEUE
    runs = Run.objects.filter(project=project, status__in=Run.OPEN).count()
    imports = Import.objects.filter(Q(dataset__project=project) | Q(run__project=project))
    files = imports.exclude(state=Import.State.DONE).count()
    if maximum and runs + files >= maximum:
        in_progress = f"{plural(runs, 'run')} and {plural(files, 'file')} in progress"
        raise TooManyRequests(f"{project.name} already has {in_progress} (limit {maximum}).", BUSY_FOR)
