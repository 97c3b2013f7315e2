"""Samples in parts: examples of some parts are likelier to be drawn than others.

Within a part every example has the same chance, so that its labels stand for it. Estimates weigh each part by its size,
and a part of which nobody was drawn (`Part.drawn` 0) is one that labels say nothing about.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluations.models import EvaluatorVersion, LabelTask, Run

Codes = NDArray[np.int64]
MOST = 50
ROOM = 256  # codes of one byte


@dataclass(frozen=True)
class Part:
    """`size` examples, of which `drawn` were drawn at random."""

    name: str
    size: int
    drawn: int

    @property
    def chance(self) -> float:
        return self.drawn / self.size


@dataclass(frozen=True)
class Parts:
    """The examples in parts: `codes` has the number of the part of each of the `examples`, which are identities."""

    named: list[Part]
    examples: Codes
    codes: Codes

    @cached_property
    def chances(self) -> dict[int, float]:
        """The probability with which each example was drawn."""
        by_code = [part.chance for part in self.named]
        pairs = zip(self.examples.tolist(), self.codes.tolist(), strict=True)
        return {example: by_code[code] for example, code in pairs}

    @property
    def told(self) -> list[dict[str, str | int]]:
        return [asdict(part) for part in self.named]

    def packed(self) -> bytes:
        """A byte for each example: the number of its part plus one; 0 for examples of no part."""
        stored = np.zeros(int(self.examples.max(initial=0)) + 1, np.uint8)
        stored[self.examples] = self.codes + 1
        return zlib.compress(stored.tobytes())


@dataclass(frozen=True)
class Weighed:
    """For each example the number of its part, and the names of the parts.

    Of several tasks, the examples in the same parts of all of them are one part. Nobody was drawn from those `outside`.
    """

    codes: Codes
    names: list[str]
    outside: NDArray[np.bool_]


def shares(sizes: Sequence[int], size: int) -> list[int]:
    """`size` divided equally among parts of these sizes; what a small one lacks, the others have."""
    given = [0] * len(sizes)
    left = min(size, sum(sizes))
    for number, index in enumerate(sorted(range(len(sizes)), key=lambda index: sizes[index])):
        given[index] = min(sizes[index], left // (len(sizes) - number))
        left -= given[index]
    return given


def tasks_of(version: EvaluatorVersion, runs: Iterable[Run]) -> list[LabelTask]:
    """The tasks with parts whose labels are of these runs, the oldest first."""
    found = LabelTask.objects.filter(version=version, runs__in=list(runs), deleted_at=None)
    return list(found.exclude(part_of=None).distinct().order_by("pk"))


def weighed(tasks: Sequence[LabelTask], examples: Codes) -> Weighed:
    """The parts of these examples, by their identities, in all tasks."""
    codes, names = np.zeros(len(examples), np.int64), [""]
    outside = np.ones(len(examples), np.bool_)
    for task in tasks:
        stored = np.frombuffer(zlib.decompress(task.part_of or b""), np.uint8)
        mine = np.where(examples < len(stored), stored[np.minimum(examples, len(stored) - 1)], 0)
        told = [Part("added later", 0, 1), *(Part(**part) for part in task.parts)]
        outside &= np.array([part.drawn == 0 for part in told])[mine]
        pairs, codes = np.unique(codes * ROOM + mine, return_inverse=True)
        names = [
            ", ".join(filter(None, (names[pair // ROOM], told[pair % ROOM].name))) for pair in pairs.tolist()
        ]
    return Weighed(codes, names, outside & bool(tasks))
