"""Embeddings from an OpenAI-compatible server: in batches, with retries, one deadline, and errors per text."""

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from evaluations.clients import answers, probing
from evaluations.clients.addresses import Guard
from evaluations.clients.answers import Vector
from evaluations.clients.embedding_batches import BATCH_SIZE, Batch, batches_of, halves, problem_with
from evaluations.clients.metering import Meter, Unmetered
from evaluations.clients.pace import Pace, Sent
from evaluations.clients.probing import Probe
from evaluations.clients.server import Server
from evaluations.clients.service_error import Interrupted, ServiceError
from evaluations.clients.way import PLAIN, Way

CALL_SECONDS = 30.0
MAX_ATTEMPTS = 6
MAX_PAUSE = 20.0
MAX_RETRY_AFTER = 60.0
LOOK_EVERY = 0.05  # seconds between two questions whether a call may be made

OnBatch = Callable[[list[str], list[Vector]], Any]


@dataclass
class EmbeddingResult:
    """The result by text: a vector, or None and an error. `calls` counts requests, refused ones included."""

    vectors: list[Vector | None]
    errors: dict[int, ServiceError]
    dimension: int | None
    tokens: int
    calls: int

    def outcomes(self) -> list[Vector | str]:
        """For each text, the vector, or the error as `code: sentence`."""
        return [
            f"{self.errors[index].code}: {self.errors[index].message}" if vector is None else vector
            for index, vector in enumerate(self.vectors)
        ]


@dataclass(frozen=True)
class _Begun:
    """A call in progress, with the reservation that its caller made."""

    batch: Batch
    reservation: Any
    sent: Sent | None


@dataclass
class _Run:
    """The state of one `embed`; only `spent` and the caller's `usage` are shared by several threads."""

    model: str
    dimensions: int | None
    patience: float
    until: float
    on_batch: OnBatch | None = None
    meter: Meter = field(default_factory=Unmetered)
    pace: Pace | None = None
    held: float | None = None
    waiting: deque[Batch] = field(default_factory=deque)
    limit: int = BATCH_SIZE
    dimension: int | None = None
    stopped: ServiceError | None = None
    interrupted: bool = False
    accepted: bool = False
    outcomes: dict[str, Vector | ServiceError] = field(default_factory=dict)
    spent: Counter[str] = field(default_factory=Counter)
    usage: Counter[str] = field(default_factory=Counter)
    lock: Lock = field(default_factory=Lock)

    @property
    def wants_more(self) -> bool:
        return bool(self.waiting) and not self.stopped and not self.interrupted

    def take(self, texts: Sequence[str]) -> None:
        """Queue each distinct text for a batch; texts that cannot be sent become errors at once."""
        distinct = dict.fromkeys(texts)
        self.outcomes |= {text: error for text in distinct if (error := problem_with(text))}
        self.waiting.extend(batches_of(text for text in distinct if text not in self.outcomes))

    def result(self, texts: Sequence[str]) -> EmbeddingResult:
        outcomes = [self.outcomes[text] for text in texts]
        return EmbeddingResult(
            [None if isinstance(outcome, ServiceError) else outcome for outcome in outcomes],
            {index: outcome for index, outcome in enumerate(outcomes) if isinstance(outcome, ServiceError)},
            self.dimension,
            self.spent["tokens"],
            self.spent["calls"],
        )

    def count(self, **spent: int) -> None:
        with self.lock:
            self.spent.update(spent)
            self.usage.update(spent)


class OpenAIClient:
    """One server with one key; raises ServiceError (invalid_key) for a key that no header can carry.

    Tests replace `sleep`, `clock` and `chance`.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        guard: Guard,
        *,
        concurrency: int = 4,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: random.Random | None = None,
        way: Way = PLAIN,
    ) -> None:
        self._server = Server(base_url, api_key, guard, concurrency, way)
        self._concurrency = concurrency
        self._sleep = sleep
        self._clock = clock
        self._chance = chance or random.Random()

    def close(self) -> None:
        self._server.close()

    def embed(
        self,
        model: str,
        texts: Sequence[str],
        dimensions: int | None = None,
        deadline: float = 60.0,
        on_batch: OnBatch | None = None,
        usage: Counter[str] | None = None,
        meter: Meter | None = None,
        pace: Pace | None = None,
        held: float | None = None,
    ) -> EmbeddingResult:
        """Embed the texts, each distinct one once; `deadline` seconds after the last answer the rest are errors.

        `on_batch` is called in the caller's thread with the texts and vectors of each call as it arrives; to `usage`,
        "calls" and "tokens" are added as they are spent, `meter` accounts for each call, and `pace` says when one may
        be made. If `on_batch` returns False, no further call is made; `Interrupted` is raised if texts are left, and
        also if the pace allows no first call of a batch for `held` seconds. A refused batch (400, 413, 422) is halved
        when its shortest text alone is accepted; any other permanent error ends the run, and the remaining texts
        carry it.
        """
        until = self._clock() + deadline
        run = _Run(model, dimensions, deadline, until, on_batch, meter or Unmetered(), pace, held)
        run.usage = Counter() if usage is None else usage
        run.take(texts)
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="embed")
        try:
            self._work(run, pool)
        finally:
            # If `on_batch` raised or the worker shuts down, calls are still running: do not wait for them.
            run.until = self._clock()
            pool.shutdown(wait=False, cancel_futures=True)
        return run.result(texts)

    def probe(self, model: str, seconds: float = 5.0) -> Probe:
        """Test the server, and the model unless it is "". The message of a failure says its cause."""
        return probing.probe(self._server, model, seconds)

    def _work(self, run: _Run, pool: ThreadPoolExecutor) -> None:
        running: dict[Future[tuple[list[Vector], int]], _Begun] = {}
        while run.waiting or running:
            while run.wants_more and self._has_room(run, len(running)):
                if begun := self._reserved(run, _cut_to_limit(run)):
                    running[pool.submit(self._call_after_pause, run, begun.batch)] = begun
            if running:
                patience = LOOK_EVERY if run.pace and run.wants_more else None
                for future in wait(running, patience, FIRST_COMPLETED).done:
                    self._settle(run, running.pop(future), future)
            elif run.wants_more:
                self._wait_for_room(run)
            else:
                break
        if run.interrupted and run.waiting:
            raise Interrupted
        if run.stopped:
            for batch in run.waiting:
                run.outcomes.update(dict.fromkeys([*batch.texts, *batch.held_texts], run.stopped))

    def _wait_for_room(self, run: _Run) -> None:
        """Wait a moment; raises `Interrupted` if the pace is so slow that others should not wait for it meanwhile.

        A batch that was refused waits here until the deadline: its attempts must come to an end.
        """
        seconds = run.pace.pause(self._clock()) if run.pace else 0.0
        if run.held is not None and seconds > run.held and run.waiting[0].attempt == 1:
            raise Interrupted(seconds)
        self._sleep(LOOK_EVERY)

    def _has_room(self, run: _Run, under_way: int) -> bool:
        """Whether one more call may be made now. After the deadline it may, and is refused by `_call`."""
        if under_way >= self._concurrency:
            return False
        return run.pace is None or self._clock() > run.until or run.pace.room(under_way, self._clock()) > 0

    def _reserved(self, run: _Run, batch: Batch) -> _Begun | None:
        try:
            reservation = run.meter.reserve(batch.texts)
            return _Begun(batch, reservation, run.pace.sent(self._clock()) if run.pace else None)
        except ServiceError as error:
            self._refused(run, batch, error)
            return None

    def _settle(self, run: _Run, begun: _Begun, future: Future[tuple[list[Vector], int]]) -> None:
        try:
            vectors, tokens = future.result()
        except ServiceError as error:
            if run.pace and begun.sent:
                run.pace.erred(self._clock(), error, begun.sent, MAX_RETRY_AFTER)
            run.meter.settle(begun.reservation, 0 if error.is_free else None)
            self._try_again(run, begun.batch, error)
            return
        if run.pace:
            run.pace.answered(self._clock(), tokens=tokens)
        run.meter.settle(begun.reservation, tokens or None)
        try:
            self._keep(run, begun.batch, self._checked(run, vectors))
        except ServiceError as error:
            self._refused(run, begun.batch, error)

    def _keep(self, run: _Run, batch: Batch, outcomes: list[Vector | ServiceError]) -> None:
        run.accepted, run.until = True, self._clock() + run.patience
        by_text = dict(zip(batch.texts, outcomes, strict=True))
        run.outcomes |= by_text
        good = {text: vector for text, vector in by_text.items() if not isinstance(vector, ServiceError)}
        run.waiting.extendleft(halves(batch.held_texts))
        if run.on_batch and good and run.on_batch(list(good), list(good.values())) is False:
            run.interrupted = True

    def _try_again(self, run: _Run, batch: Batch, error: ServiceError) -> None:
        """Retry with full jitter, if a retry may help and the deadline allows it."""
        pause = self._chance.uniform(0, min(MAX_PAUSE, 0.5 * 2**batch.attempt))
        if error.retry_after is not None:
            pause = error.retry_after + pause / 10
        patient = (error.retry_after or 0) <= MAX_RETRY_AFTER and self._clock() + pause < run.until
        if error.permanent or batch.attempt == MAX_ATTEMPTS or not patient:
            self._refused(run, batch, error)
        else:
            run.waiting.appendleft(replace(batch, attempt=batch.attempt + 1, pause=pause))

    def _refused(self, run: _Run, batch: Batch, error: ServiceError) -> None:
        if error.code == "deadline":
            error = run.stopped or error
        if error.code in ("refused", "too_many") and len(batch.texts) > 1:
            if error.code == "too_many":
                run.limit = min(run.limit, len(batch.texts) // 2)
            if batch.divisible:
                run.waiting.extendleft(halves(batch.texts))
            else:
                shortest = min(batch.texts, key=len)
                held_texts = [text for text in batch.texts if text is not shortest]
                run.waiting.appendleft(Batch([shortest], held_texts=held_texts))
            return
        run.outcomes |= dict.fromkeys([*batch.texts, *batch.held_texts], error)
        if error.code not in ("refused", "too_many") or (batch.held_texts and not run.accepted):
            run.stopped = run.stopped or error
            run.until = self._clock()  # The other calls in progress stop retrying too.

    def _checked(self, run: _Run, vectors: list[Vector]) -> list[Vector | ServiceError]:
        size = answers.usual_size(vectors) if run.dimension is None else run.dimension
        if run.dimensions not in (None, size):
            message = f"{run.dimensions} dimensions were requested; the server returned {size}."
            raise ServiceError(message, permanent=True, code="odd_size")
        run.dimension = size
        return [answers.problem_with(vector, size) or vector for vector in vectors]

    def _call_after_pause(self, run: _Run, batch: Batch) -> tuple[list[Vector], int]:
        if batch.pause:
            self._sleep(batch.pause)
        return self._call(run, batch.texts)

    def _call(self, run: _Run, texts: list[str]) -> tuple[list[Vector], int]:
        """The vectors of the texts, and the tokens the call used."""
        seconds = min(CALL_SECONDS, run.until - self._clock())
        if seconds <= 0:
            late = ServiceError(
                "The time for embedding these texts ran out.", permanent=False, code="deadline"
            )
            raise late
        run.count(calls=1)
        vectors, tokens = self._server.embeddings(run.model, texts, run.dimensions, seconds)
        run.count(tokens=tokens)
        return vectors, tokens


def _cut_to_limit(run: _Run) -> Batch:
    batch = run.waiting.popleft()
    if len(batch.texts) <= run.limit:
        return batch
    run.waiting.appendleft(Batch(batch.texts[run.limit :], batch.held_texts, batch.divisible))
    return Batch(batch.texts[: run.limit], divisible=batch.divisible)
