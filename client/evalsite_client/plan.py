"""What an evaluation was asked to do, and what it gives back."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import lines
from .errors import Mistaken
from .names import Reference
from .scorers import Scorer, as_scorer, code_digest, name_of

if TYPE_CHECKING:
    from .uploader import Uploader

OnProgress = Callable[[int, int], object]  # answers so far, all answers


@dataclass(frozen=True)
class Evaluation:
    """A finished evaluation: its runs, one for each repetition."""

    client: "Uploader" = field(repr=False)
    experiment: int
    variant: str
    runs: list[Mapping[str, Any]]
    errors: int

    def compare(self, baseline: Reference, **options: Any) -> Mapping[str, Any]:
        """Compare the runs with a baseline: the name of another variant, or the id of a run."""
        runs = [run["id"] for run in self.runs]
        return self.client.compare(baseline, *runs, experiment=self.experiment, **options)

    @property
    def address(self) -> str:
        """The address of the experiment's page."""
        return self.client.address("experiment", self.experiment)

    def format(self) -> str:
        """The runs with their mean scores, and the address of the page, as text."""
        return "\n".join([*(line for run in self.runs for line in lines.run(run)), self.address])

    def means(self) -> dict[str, float | None]:
        """The mean of each evaluator in the first run."""
        return {scoring["evaluator"]["name"]: scoring["mean"] for scoring in self.runs[0]["scorings"]}


@dataclass
class Plan:
    """What to evaluate, as `Client.evaluate` was asked."""

    dataset: Reference
    task: Callable[..., Any]
    scorers: Sequence[Any]
    variant: str
    experiment: Reference | None = None
    repetitions: int = 1
    concurrency: int = 8
    about: Mapping[str, Any] | None = None
    split: str | None = None
    resume: bool = True
    wait: bool = True
    timeout: float | None = None
    on_progress: OnProgress | None = None
    for_gate: bool = False
    note: Callable[[str], object] = lambda text: sys.stderr.write(f"{text}\n")

    def __post_init__(self) -> None:
        if not callable(self.task):
            raise Mistaken(f"{self.task!r} is no function of an example.")
        if self.repetitions < 1 or self.concurrency < 1:
            raise Mistaken("repetitions and concurrency are at least 1.")
        given = [part if isinstance(part, Scorer) or callable(part) else None for part in self.scorers]
        self.own = [as_scorer(part) for part in given if part is not None]
        self.named: list[Reference] = [
            part for part, own in zip(self.scorers, given, strict=True) if own is None
        ]
        names = [scorer.name for scorer in self.own]
        if len(set(names)) < len(names):
            raise Mistaken("Two scorers have one name. Give one of them another: @scorer(name=…).")

    @cached_property
    def described(self) -> dict[str, Any]:
        """The description of the variant, with the digest of the task's code, which tells changed code apart."""
        return {"task": name_of(self.task), "code": code_digest(self.task)[:12], **(self.about or {})}
