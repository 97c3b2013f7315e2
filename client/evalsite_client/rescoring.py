"""Scores the outputs that a run has with functions of the user's own."""

import asyncio
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .examples import Example
from .plan import OnProgress
from .progress import Progress
from .scorers import Scorer, as_scorer, name_of
from .sending import Sender
from .targets import examples_of
from .working import Calls, crew_of, scored

if TYPE_CHECKING:
    from .uploader import Uploader


def versions_of(run: Mapping[str, Any]) -> dict[str, int]:
    """The versions of the evaluators that scored a run, by name."""
    return {scoring["evaluator"]["name"]: scoring["evaluator"]["version"] for scoring in run["scorings"]}


def score_command(run: int, scorers: Sequence[Scorer]) -> str:
    functions = [scorer.function for scorer in scorers]
    modules = [getattr(function, "__module__", "__main__") for function in functions]
    names = [getattr(function, "__qualname__", name_of(function)) for function in functions]
    if "__main__" in modules or any("<" in name for name in names):
        return f"site.score({run}, [{', '.join(scorer.name for scorer in scorers)}])"
    options = (f"--scorer {module}:{name}" for module, name in zip(modules, names, strict=True))
    return f"evalsite score {run} {' '.join(options)}"


def score_run(
    client: "Uploader",
    run: int,
    scorers: Sequence[Any],
    *,
    concurrency: int = 8,
    loop: asyncio.AbstractEventLoop | None = None,
    on_progress: OnProgress | None = None,
) -> Mapping[str, Any]:
    """Score the outputs that a run has; returns the run as it is then."""
    own = [as_scorer(given) for given in scorers]
    read = client.read_run(run)
    experiment = client.experiment(read["experiment"])
    examples = {example.position: example for example in examples_of(client, experiment)}
    outputs = {row["position"]: row["output"] for row in client.results(run) if row["output"] is not None}
    calls, sender = Calls(loop), Sender(client.transport)
    jobs = [(scorer, examples[position]) for scorer in own for position in outputs if position in examples]
    lock, done, shown = threading.Lock(), [0], Progress(read["variant"], sys.stderr)

    def work(job: tuple[Scorer, Example]) -> None:
        scorer, example = job
        row = scored(calls, scorer, example, outputs[example.position])
        if row is not None:
            sender.score(run, scorer, row)
        with lock:
            done[0] += 1

    def show() -> None:
        if sender.failure:
            raise sender.failure
        (on_progress or shown.update)(done[0], len(jobs))

    sender.start()
    crew = crew_of(min(concurrency, max(1, len(jobs))), iter(jobs), work)
    try:
        crew.finish(show)
        show()
    except BaseException:
        crew.let_finish()  # scores under way may have been paid for
        raise
    finally:
        shown.close()
        calls.close()
        sender.close()
    return client.read_run(run)
