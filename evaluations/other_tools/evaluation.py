"""One shape for the contents of all tools' exports."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from evaluations import kinds
from evaluations.ingest import FileError
from evaluations.values import JSON, LONGEST_NAME, canonical_json

MOST_VARIANTS = 200
MOST_GRADERS = 100


@dataclass(frozen=True, slots=True)
class Item:
    """One example. `key` is None if the tool gives no unique name."""

    inputs: dict[str, JSON]
    reference: dict[str, JSON] = field(default_factory=dict)
    metadata: dict[str, JSON] = field(default_factory=dict)
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one answer by a grader of the tool."""

    value: float | None
    passed: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An output, or an error instead, with its scores by the name of the grader."""

    output: JSON = None
    error: str | None = None
    latency_ms: int | None = None
    tokens: int | None = None
    scores: dict[str, Score] = field(default_factory=dict)


Answers = dict[int, Answer]  # by the index of the item


@dataclass(frozen=True)
class Variant:
    """A prompt, model or run of the tool; each repetition answers an item at most once."""

    name: str
    about: dict[str, Any]
    repetitions: list[Answers]


@dataclass(frozen=True)
class Formula:
    """The evaluator kind that computes a grader's scores, and the reference column that it compares with.

    With `judges_only`, verdicts are equal and values are not, such as a distance instead of 1 and 0.
    """

    kind: str
    config: dict[str, JSON]
    column: str
    judges_only: bool = False

    @property
    def title(self) -> str:
        return kinds.get(self.kind).title


@dataclass(frozen=True)
class Grader:
    """A grader, assertion or scorer. Without a `formula`, `why` gives the reason that only its scores are imported.

    `failed` answers have no output. With a formula, the tool gives them no score and the formula 0; without one, the
    tool counts them as not passed.
    """

    name: str
    type: str
    formula: Formula | None = None
    why: str = ""
    failed: int = 0


@dataclass(frozen=True)
class Figure:
    """A line of the tool's own summary. `n` is the number of graded answers; None if the tool does not tell."""

    variant: str
    grader: str
    n: int | None = None
    mean: float | None = None
    pass_rate: float | None = None


@dataclass(frozen=True)
class PromptText:
    """A prompt of a configuration that was not run; its messages name variables as our prompts do."""

    name: str
    messages: list[dict[str, str]]


@dataclass(frozen=True)
class Evaluation:
    """`notes` list parts of the file that are not imported. A configuration has `prompts` instead of variants."""

    tool: str
    version: str
    name: str
    items: list[Item]
    variants: list[Variant]
    graders: list[Grader] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    prompts: list[PromptText] = field(default_factory=list)

    @property
    def answer_count(self) -> int:
        return sum(len(answers) for variant in self.variants for answers in variant.repetitions)

    @property
    def repetition_count(self) -> int:
        return max((len(variant.repetitions) for variant in self.variants), default=0)

    def with_graders(self, graders: list[Grader]) -> "Evaluation":
        return replace(self, graders=graders)


def refused(tool: str, problem: str, hint: str) -> FileError:
    """The refusal of a file whose tool is known; the message names the tool."""
    return FileError("other_tool", f"{tool}: {problem}", hint=hint)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, cut to the limit of a variant's name; equal ones are numbered.

    >>> distinct(["gpt-4", "gpt-4", ""])
    ['gpt-4', 'gpt-4 2', 'unnamed']
    """
    numbered: dict[str, None] = {}
    for name in names:
        stem = " ".join(name.split())[: LONGEST_NAME - 10] or "unnamed"
        number, chosen = 1, stem
        while chosen in numbered:
            number += 1
            chosen = f"{stem} {number}"
        numbered[chosen] = None
    return list(numbered)


def number(value: Any) -> float | None:
    """A finite number, or None; true and false are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def whole(value: Any) -> int | None:
    """A whole number in the range of the database, or None."""
    rounded = number(value)
    return round(rounded) if rounded is not None and 0 <= rounded < 2**31 else None


def digest(value: JSON) -> bytes:
    """A short digest, equal for equal values."""
    return blake2b(canonical_json(value).encode("utf-8", "replace"), digest_size=16).digest()


def as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list, without other values."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def share(part: int | None, total: int | None) -> float | None:
    return part / total if part is not None and total else None
