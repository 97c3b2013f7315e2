"""The kinds `levenshtein_similarity` and `levenshtein_distance`."""

from collections.abc import Sequence
from operator import ne
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config, Cut
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import LONGEST, Pairs
from evaluations.kinds.scores import FAIL, Scores
from evaluations.metrics import levenshtein, texts
from evaluations.values import JSON, MINIMIZE, Status, text_of


class SimilarityConfig(Config):
    threshold: Annotated[
        float, Field(ge=0, le=1, title="Pass threshold", description="Smallest similarity that passes.")
    ] = 0.7
    case_sensitive: CaseSensitive = False
    max_characters: Annotated[
        int,
        Field(
            ge=1,
            le=LONGEST,
            title="Longest text",
            description="In the unit below; longer texts are cut, and the number of examples with a cut text"
            " is reported.",
        ),
    ] = 10_000
    unit: Annotated[
        Literal["code_point", "utf16"],
        Field(title="Unit", description="Characters (code points), or UTF-16 units as in JavaScript."),
    ] = "code_point"
    missing_expected: Annotated[
        Literal["zero", "skip"],
        Field(title="Missing reference", description="Scores 0 and fails, or gets no score."),
    ] = "zero"

    @property
    def cut(self) -> Cut:
        return Cut(self.max_characters, utf16=self.unit == "utf16")

    def warnings(self) -> list[str]:
        return ["With a threshold of 0 every output passes."] if self.threshold == 0 else []


class DistanceConfig(Config):
    case_sensitive: CaseSensitive = True
    threshold: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(
            title="Pass threshold",
            description="Largest number of edits that passes; empty for no pass or fail.",
        ),
    ] = None
    max_characters: Annotated[
        Annotated[int, Field(ge=1, le=LONGEST)] | None,
        Field(
            title="Longest text",
            description="In characters; longer texts are cut, and the number of examples with a cut text is"
            " reported. Empty: no limit.",
        ),
    ] = None

    @property
    def cut(self) -> Cut | None:
        return Cut(self.max_characters) if self.max_characters else None


def score_similarity(config: SimilarityConfig, pairs: Pairs) -> Scores:
    """1 - distance / longer length, rounded half up to hundredths; the verdict uses the rounded value."""
    actual, expected = pairs.cased(config.case_sensitive)
    if config.unit == "utf16":
        actual, expected = [list(map(texts.utf16_units, side)) for side in (actual, expected)]
    longest = np.maximum(texts.lengths(actual), texts.lengths(expected))
    values = levenshtein.rounded_similarities(_distances(pairs, actual, expected), longest)
    return Scores.scored(values, values >= config.threshold)


def score_distance(config: DistanceConfig, pairs: Pairs) -> Scores:
    """The number of edits of code points; passes up to the threshold."""
    distances = _distances(pairs, *pairs.cased(config.case_sensitive))
    return Scores.scored(distances, None if config.threshold is None else distances <= config.threshold)


class ComputedDistances(NamedTuple):
    """Edit distances computed by an earlier evaluator for this batch, with their texts."""

    rows: NDArray[np.intp]
    actual: Sequence[str]
    expected: Sequence[str]
    distances: NDArray[np.int64]


def _distances(pairs: Pairs, actual: Sequence[str], expected: Sequence[str]) -> NDArray[np.int64]:
    """Edit distances. An earlier evaluator's are reused for equal texts, and serve as hints for the others."""
    cached_distances: ComputedDistances | None = pairs.cache.get("distances")
    if cached_distances is None or not np.array_equal(cached_distances.rows, pairs.rows):
        distances = levenshtein.distances(actual, expected, bound=pairs.bound)
    else:
        sides = ((actual, cached_distances.actual), (expected, cached_distances.expected))
        changed = np.flatnonzero(np.logical_or(*[texts.verdicts(map(ne, *side)) for side in sides]))
        changed_rows = changed.tolist()
        distances = cached_distances.distances.copy()
        distances[changed] = levenshtein.distances(
            [actual[row] for row in changed_rows],
            [expected[row] for row in changed_rows],
            distances[changed],
            bound=pairs.bound,
        )
    pairs.cache["distances"] = ComputedDistances(pairs.rows, actual, expected, distances)
    return distances


def missing_similarity(config: SimilarityConfig, status: Status) -> tuple[float, int] | None:
    """0.0 if the expected output is missing."""
    return (0.0, FAIL) if status == Status.MISSING_EXPECTED and config.missing_expected == "zero" else None


def explain_similarity(config: SimilarityConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = _cased(config, actual, expected)
    units = [texts.utf16_units(text) if config.unit == "utf16" else text for text in (actual, expected)]
    distance = int(levenshtein.distances([units[0]], [units[1]])[0])
    lengths = len(units[0]), len(units[1])
    value = float(levenshtein.rounded_similarities(np.array([distance]), np.array([max(lengths)]))[0])
    raw = 1 - distance / max(*lengths, 1)
    formula = f"1 − {distance} / max({lengths[0]}, {lengths[1]}) = {explain.number(raw)} → {value:.2f}"
    if not any(lengths):
        formula = "Both texts are empty: 1.00"
    return _explained(actual, expected) | {"formula": formula + explain.against(value, config.threshold)}


def explain_distance(config: DistanceConfig, actual: str, expected: str) -> dict[str, Any]:
    actual, expected = _cased(config, actual, expected)
    distance = int(levenshtein.distances([actual], [expected])[0])
    formula = "1 edit" if distance == 1 else f"{distance} edits"
    if config.threshold is not None:
        formula += f", {'at most' if distance <= config.threshold else 'more than'} {config.threshold}"
    return _explained(actual, expected) | {"formula": formula}


def empty_distance(config: DistanceConfig, expected: JSON) -> float | None:
    """The distance of an empty answer: the length of the reference."""
    text = text_of(expected)
    return None if text is None else float(len(_cased(config, text)[0]))


def _cased(config: SimilarityConfig | DistanceConfig, *sides: str) -> list[str]:
    return [side if config.case_sensitive else side.lower() for side in sides]


def _explained(actual: str, expected: str) -> dict[str, Any]:
    blocks = {"compared": explain.compared(actual, expected)}
    return blocks | explain.edits(actual, expected) | explain.difference(actual, expected)


levenshtein_similarity = Kind(
    key="levenshtein_similarity",
    title="Levenshtein similarity",
    family=Family.EDITS,
    summary="Share of the text that needs no edit, 0 to 1",
    description="One minus the number of single-character edits divided by the length of the longer text, "
    "rounded half up to two decimals. Tolerates typing errors and small rewording.",
    source="2Signal, Levenshtein: 1 - (edit_distance / max_length), rounded to two decimal places.",
    version=1,
    Config=SimilarityConfig,
    score=score_similarity,
    detail=explain_similarity,
    missing=missing_similarity,
)

levenshtein_distance = Kind(
    key="levenshtein_distance",
    title="Levenshtein distance",
    family=Family.EDITS,
    summary="Number of edits; lower is better",
    description="How many characters must be inserted, deleted or replaced to turn the output into the "
    "reference. 0 means equal; lower is better. Grows with the length of the texts, so compare averages only "
    "on the same dataset.",
    source="Phoenix, Levenshtein distance; the threshold is that of Agenta's Levenshtein Distance.",
    version=1,
    Config=DistanceConfig,
    score=score_distance,
    detail=explain_distance,
    direction=MINIMIZE,
    bounds=lambda config: (0.0, None),
    natural=empty_distance,
    unit="edits",
)
