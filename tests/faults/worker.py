"""`celery -A tests.faults.worker worker`: the product's worker, with faults chosen by the environment.

FAULTS_CLOCK    seconds by which its clock is wrong
FAULTS_PAUSE    seconds that it holds a chunk before it writes, so that faults find it there
FAULTS_POISON   scoring this output kills the process
FAULTS_DEADLY   a formula that meets this output kills the process
FAULTS_CLASHES  every so many writes of scores are refused, as by a deadlock
FAULTS_PATIENCE seconds that its watchdog waits, instead of 120, and of 5 after SIGTERM
FAULTS_SWEEPS   "0": it never sweeps
FAULTS_HANGS    seconds after which it gives up the answer of a model, instead of 120
"""

import os
import signal
import time
from importlib import import_module
from itertools import count

import django
from django.db import OperationalError

from tests.faults import clock

PAUSE = float(os.environ.get("FAULTS_PAUSE", "0.1"))
POISON = os.environ.get("FAULTS_POISON")
DEADLY = os.environ.get("FAULTS_DEADLY")
CLASHES = int(os.environ.get("FAULTS_CLASHES", "0"))

clock.shift(float(os.environ.get("FAULTS_CLOCK", "0")))  # before the product imports `datetime`
django.setup()
scoring, bulk, spans, incoming = (
    import_module(f"evaluations.{name}")
    for name in ("scoring.scoring", "bulk", "scoring.spans", "imports.rows.incoming")
)
app = import_module("evalsite.celery").app


def slow(score):
    def scored(claimed):
        results = score(claimed)
        time.sleep(PAUSE)
        return results

    return scored


def deadly(score):
    def scored(claimed):
        in_chunk = {"position__gte": claimed.chunk.first, "position__lte": claimed.chunk.last}
        if claimed.task.run.outputs.filter(text=POISON, **in_chunk).exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return score(claimed)

    return scored


def deadly_formula(scores):
    def scored(recipe, contexts, **more):
        if DEADLY in contexts.values(("output",)):
            os.kill(os.getpid(), signal.SIGKILL)
        return scores(recipe, contexts, **more)

    return scored


def clashing(upsert):
    writes = count(1)

    def upserted(*arguments):
        if next(writes) % CLASHES == 0:
            raise OperationalError("deadlock detected")
        return upsert(*arguments)

    return upserted


spans.CHUNK = 500  # small chunks: more moments at which something can fail
incoming.LARGE = 0  # every file is read by a process of its own, which can be killed too
scoring.score = deadly(scoring.score) if POISON else slow(scoring.score)
if DEADLY:
    recipe = import_module("evaluations.evaluators.recipe").Recipe
    recipe.scores = deadly_formula(recipe.scores)
if CLASHES:
    bulk.upsert = clashing(bulk.upsert)
if os.environ.get("FAULTS_SWEEPS") == "0":
    imports = import_module("evaluations.imports.imports")
    scoring.sweep = imports.sweep = lambda: None
import_module("evaluations.launches.calls").CALL_SECONDS = float(os.environ.get("FAULTS_HANGS", "10"))
if patience := os.environ.get("FAULTS_PATIENCE"):
    watchdog = import_module("evaluations.upkeep.watchdog")
    watchdog.PATIENCE = watchdog.LAST_SECONDS = float(patience)
    watchdog.LOOK_EVERY = 0.5
