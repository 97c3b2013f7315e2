"""The Celery application, with our logging and less frequent garbage collection."""

import gc
import logging.config
import os
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from celery import Celery, signals
from celery.app.utils import Settings
from celery.platforms import SecurityWarning  # type: ignore[attr-defined] # the stubs forgot it
from django.conf import settings

from evalsite.lifeline import die_with

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
# Celery would make Django's checks at every start and pass over what they say. They load every page and route, which
# takes half of the start of a worker and a third of its memory; `evalsite up` and containers check before they serve.
os.environ.setdefault("CELERY_SKIP_CHECKS", "yes")

# Celery warns of workers that run as root, because pickled messages can run code; ours accept JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()  # otherwise other threads would have no `current_app`
app.autodiscover_tasks()
app.autodiscover_tasks(["evaluations.upkeep"], related_name="watchdog")

AUTOGROUP = Path("/proc/self/autogroup")
PATIENCE = 10  # niceness of the processes that call model servers

MAIN_PROCESS = os.getpid()  # in the children of a worker, this stays the id of their parent


@signals.celeryd_init.connect
def use_the_concurrency_of_its_queue(
    conf: Settings, options: dict[str, str | list[str] | None], **_: object
) -> None:
    """Give a worker of one queue as many children as that queue should have; `--concurrency` overrides it."""
    queues = options.get("queues") or ()
    names = queues.split(",") if isinstance(queues, str) else list(queues)
    if len(names) == 1 and names[0] in settings.QUEUE_CONCURRENCY:
        conf.worker_concurrency = settings.QUEUE_CONCURRENCY[names[0]]
    if names == ["calls"]:
        give_way()
        # Its children are forked from this process, so the first answer after a start need not wait for the package.
        import_module("evaluations.clients.official")


def give_way() -> None:
    """Let pages, imports and scoring have the processor first: calls mostly wait, and a server that answers at once
    would otherwise keep a core busy. Children inherit it.
    """
    os.nice(PATIENCE)
    # Where Linux shares time between sessions first, a process's own niceness counts only within its session: one that
    # has a session of its own makes that nice as well, and others leave their neighbours alone. Some containers forbid
    # this or mount /proc to be read only, and nobody may do it more than ten times a second: time is only shared less
    # well then, so a worker starts whatever the system answers.
    if os.getsid(0) == os.getpid() and AUTOGROUP.exists():
        with suppress(OSError):
            AUTOGROUP.write_text(str(PATIENCE))


@signals.setup_logging.connect
def use_the_logging_of_django(**_: object) -> None:
    """Keep Celery from configuring the root logger in its own format."""
    logging.config.dictConfig(settings.LOGGING)


@signals.worker_process_init.connect
def end_with_the_worker(**_: object) -> None:
    die_with(MAIN_PROCESS)


@signals.worker_process_init.connect
def look_for_garbage_less_often(**_: object) -> None:
    """Freeze imported objects and collect less often: collection found nothing, and took a tenth of a job's time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
