"""How often something may be done in a minute, and how much of one project may wait at once.

The counts of a minute are in the cache: that is Redis where the broker is one, and all web processes count
together; else each process counts for itself. When the cache is away nothing is limited, because a site that answers
too much is better than one that answers nobody.
"""

from hashlib import sha256
from time import time as clock

from django.conf import settings
from django.core.cache import cache
from django.db.models import Q
from redis import RedisError

from evaluations.errors import TooManyRequests
from evaluations.models import Import, Project, Run

BUSY_FOR = 30  # seconds; a guess


def wait(name: str, most: int) -> int:
    """Count one more; the seconds until it may be done, 0 for now."""
    minute, second = divmod(int(clock()), 60)
    key = f"limit:{sha256(name.encode()).hexdigest()}:{minute}"
    try:
        cache.add(key, 0, timeout=120)
        count = cache.incr(key)
    except (RedisError, ValueError):  # ValueError: the counter was evicted meanwhile.
        return 0
    return 60 - second if count > most else 0


def require(name: str, most: int, sentence: str) -> None:
    """Count one more, or raise `TooManyRequests` with the sentence."""
    if seconds := wait(name, most):
        raise TooManyRequests(sentence, seconds)


def require_room(project: Project) -> None:
    """Raise `TooManyRequests` when as much of a project waits, or is worked on, as the site allows."""
    most = settings.EVALSITE_PROJECT_QUEUE
    runs = Run.objects.filter(project=project, status__in=Run.OPEN).count()
    files = Import.objects.filter(Q(dataset__project=project) | Q(run__project=project)).count()
    if most and runs + files >= most:
        sentence = (
            f"In {project.name} {runs} runs and {files} files wait or are worked on; {most} are the most."
        )
        raise TooManyRequests(sentence, BUSY_FOR)
