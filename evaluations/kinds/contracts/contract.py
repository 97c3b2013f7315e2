"""The contract of an evaluator kind: formula in words, edge cases, golden vectors, reference implementation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evaluations.kinds.contracts.judgement import Judgement, NoScore, text
from evaluations.values import JSON

LONGEST = 100_000

NULLS = (
    "If a side is null, there is no score and no verdict. The status is missing_expected or missing_actual; "
    "if both are null, missing_expected."
)
TEXTS = (
    "Numbers, booleans, lists and objects are compared as JSON text: keys sorted, separators “, ” and “: ”, "
    "no ASCII escapes."
)
TOO_LONG = "A text of more than 100 000 characters is an error (too_long)."


@dataclass(frozen=True)
class Vector:
    """A golden vector: a pair with its required result; `why` is the calculation.

    `embeddings` are the vectors that a server would return for both texts, for kinds that need them.
    """

    actual: JSON
    expected: JSON
    value: float | None
    passed: bool | None = None
    config: dict[str, JSON] = field(default_factory=dict)
    status: str = "scored"
    why: str = ""
    embeddings: tuple[tuple[float, ...], tuple[float, ...]] | None = None


def _no_score(config: dict[str, JSON], status: str) -> Judgement:
    raise NoScore(status)


@dataclass(frozen=True)
class Contract:
    """`formula` and every edge case are sentences; `golden` are vectors worked out by hand.

    `reference(actual, expected, **config)` recomputes the kind: slowly, plainly, pair by pair, without any formula of
    `metrics`. With `reads_json` it gets JSON values instead of texts. `missing` handles a null side. `limits` yields
    vectors too long to be shown. `is_cut`: the kind always cuts long texts. `is_alone`: it reads no expected side.
    """

    formula: str
    edge_cases: tuple[str, ...]
    golden: tuple[Vector, ...]
    reference: Callable[..., Judgement]
    reads_json: bool = False
    missing: Callable[[dict[str, JSON], str], Judgement] = _no_score
    limits: Callable[[], Iterable[Vector]] = tuple
    is_cut: bool = False
    is_alone: bool = False

    def judge(self, vector: Vector) -> Judgement:
        """The reference's result for a vector, which the kind must match."""
        try:
            return self._judged(vector)
        except NoScore as reason:
            return Judgement(None, None, reason.status)

    def _judged(self, vector: Vector) -> Judgement:
        has_expected = self.is_alone or vector.expected is not None
        if not has_expected or vector.actual is None:
            status = "missing_actual" if has_expected else "missing_expected"
            return self.missing(vector.config, status)
        sides = [vector.actual, vector.expected]
        if not self.reads_json:
            sides = [text(side) for side in sides]
        is_cut = self.is_cut or bool(vector.config.get("max_characters"))
        if not is_cut and any(isinstance(side, str) and len(side) > LONGEST for side in sides):
            raise NoScore("error")
        embeddings = {"embeddings": vector.embeddings} if vector.embeddings else {}
        return self.reference(*sides, **vector.config, **embeddings)
