"""Sends outputs and scores to runs in batches, in one thread, while others are being made."""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import __version__
from .errors import Refused
from .scorers import Scorer
from .transport import Transport

Rows = list[dict[str, Any]]

ROWS, BYTES = 2_000, 4_000_000  # in a batch
LONGEST_SCORE_ERROR = 1_000  # characters
EVERY = 1.0  # seconds between two batches, unless one is full
OUTAGE = 600.0  # seconds that the server may be away
CLIENT = f"evalsite-client {__version__}"


def send_outputs(transport: Transport, run: int, rows: Iterable[dict[str, Any]]) -> None:
    """Add outputs to a draft. A row that the server refuses becomes an output error with the reason."""

    def send(batch: Rows) -> None:
        transport.post(f"runs/{run}/outputs/", {"outputs": batch}, patience=OUTAGE)

    def refused(row: dict[str, Any], refusal: Refused) -> dict[str, Any]:
        return {name: row[name] for name in ("key", "position") if name in row} | {
            "output": None,
            "error": f"The site refused this output: {refusal}"[:2_000],
        }

    _send_all(rows, send, refused)


def send_scores(transport: Transport, run: int, scorer: Scorer, rows: Iterable[dict[str, Any]]) -> None:
    """Add the scores of a scorer to a run. A row that the server refuses becomes an error with the reason."""
    evaluator = scorer.evaluator(CLIENT)

    def send(batch: Rows) -> None:
        transport.post(f"runs/{run}/scores/", {"evaluator": evaluator, "scores": batch}, patience=OUTAGE)

    def refused(row: dict[str, Any], refusal: Refused) -> dict[str, Any]:
        return {name: row[name] for name in ("key", "position") if name in row} | {
            "error": f"The site refused this score: {refusal}"[:LONGEST_SCORE_ERROR]
        }

    _send_all(rows, send, refused)


def _send_all(
    rows: Iterable[dict[str, Any]],
    send: Callable[[Rows], None],
    refused: Callable[[dict[str, Any], Refused], dict[str, Any]],
) -> None:
    for batch in batches(rows):
        _send(batch, send, refused)


def _send(
    batch: Rows, send: Callable[[Rows], None], refused: Callable[[dict[str, Any], Refused], dict[str, Any]]
) -> None:
    """Send a batch; one with a bad row is halved until that row is alone."""
    try:
        send(batch)
    except Refused as refusal:
        if refusal.status not in (400, 413) or ("fields" not in refusal.error and refusal.status == 400):
            raise
        if len(batch) > 1:
            middle = len(batch) // 2
            _send(batch[:middle], send, refused)
            _send(batch[middle:], send, refused)
        elif (row := refused(batch[0], refusal)) != batch[0] and "error" not in batch[0]:
            send([row])
        else:
            raise


def batches(rows: Iterable[dict[str, Any]]) -> Iterator[Rows]:
    """The rows in batches that the server takes."""
    batch: Rows = []
    size = 0
    for row in rows:
        length = len(json.dumps(row, ensure_ascii=False))
        if batch and (len(batch) == ROWS or size + length > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


class Sender(threading.Thread):
    """Collects rows from many threads and sends them; `failure` is why it could not.

    `on_scores` is told of the scores that have arrived.
    """

    def __init__(
        self, transport: Transport, on_scores: Callable[[int, Scorer, Rows], object] = lambda *sent: None
    ) -> None:
        super().__init__(name="evalsite-sender", daemon=True)
        self.transport, self.on_scores = transport, on_scores
        self.lock = threading.Condition()
        self.outputs = defaultdict[int, Rows](list)
        self.scores = defaultdict[tuple[int, Scorer], Rows](list)
        self.waiting = 0
        self.is_closing = False
        self.failure: BaseException | None = None

    def output(self, run: int, row: dict[str, Any]) -> None:
        with self.lock:
            self.outputs[run].append(row)
            self._added()

    def score(self, run: int, scorer: Scorer, row: dict[str, Any]) -> None:
        with self.lock:
            self.scores[run, scorer].append(row)
            self._added()

    def _added(self) -> None:
        self.waiting += 1
        if self.waiting >= ROWS:
            self.lock.notify_all()

    def run(self) -> None:
        try:
            while self._send_next():
                pass
        except BaseException as error:  # noqa: BLE001 - raised again by `close`, in the thread that evaluates
            self.failure = error

    def _send_next(self) -> bool:
        """Send what has arrived; False after the last."""
        with self.lock:
            if self.waiting < ROWS and not self.is_closing:
                self.lock.wait(EVERY)
            is_last = self.is_closing
            outputs, self.outputs = self.outputs, defaultdict(list)
            scores, self.scores = self.scores, defaultdict(list)
            self.waiting = 0
        for run, rows in outputs.items():
            send_outputs(self.transport, run, rows)
        for (run, scorer), rows in scores.items():
            send_scores(self.transport, run, scorer, rows)
            self.on_scores(run, scorer, rows)
        return not is_last

    def close(self) -> None:
        """Send the remaining rows, and raise what prevented that."""
        with self.lock:
            self.is_closing = True
            self.lock.notify_all()
        while self.is_alive():
            self.join(0.2)  # in pieces, so that Ctrl-C is heard
        if self.failure:
            raise self.failure
