"""What an evaluator kind promises: its formula in words, its edge cases, and golden vectors to hold it to."""

from dataclasses import dataclass, field

from evaluations.values import JSON

NULLS = (
    "A null side gives no value and no verdict; the status is missing_expected or missing_actual, the "
    "expected side first."
)
TEXTS = (
    "Numbers, booleans, lists and objects are compared as JSON text: keys sorted, “, ” and “: ” between, no "
    "ASCII escapes."
)
TOO_LONG = "A text of more than 100 000 characters is an error (too_long)."


@dataclass(frozen=True)
class Vector:
    """A pair with the result it must have; `why` is the working.

    `embeddings` stand for what a server would send for the two sides, where a kind needs them.
    """

    actual: JSON
    expected: JSON
    value: float | None
    passed: bool | None = None
    config: dict[str, JSON] = field(default_factory=dict)
    status: str = "scored"
    why: str = ""
    embeddings: tuple[tuple[float, ...], tuple[float, ...]] | None = None


@dataclass(frozen=True)
class Contract:
    """`formula` and every edge case are sentences; `golden` are vectors worked out by hand."""

    formula: str
    edge_cases: tuple[str, ...]
    golden: tuple[Vector, ...]
