"""Every kind once more: slow, obvious, one pair at a time, written from the definitions.

It exists to be compared with (`verification`), so it shares no formula with `metrics` and no default with
`kinds`: what is said twice cannot be changed once.
"""

from collections.abc import Callable
from typing import Any

from evaluations.values import JSON

from . import data, edits, matches, meaning, overlaps
from .judgement import Judgement, NoScore, text

__all__ = ["KINDS", "Judgement", "judge"]

LONGEST = 100_000
READ_JSON = ("json_match", "json_distance", "numeric_match")

KINDS: dict[str, Callable[..., Judgement]] = {
    "levenshtein_similarity": edits.levenshtein_similarity,
    "levenshtein_distance": edits.levenshtein_distance,
    "similarity_match": overlaps.similarity_match,
    "semantic_similarity": meaning.semantic_similarity,
    "content_similarity": overlaps.content_similarity,
    "exact_match": matches.exact_match,
    "contains": matches.contains,
    "regex_match": matches.regex_match,
    "indel_similarity": edits.indel_similarity,
    "jaro_winkler": edits.jaro_winkler,
    "sentence_bleu": overlaps.sentence_bleu,
    "chrf": overlaps.chrf,
    "rouge_l": overlaps.rouge_l,
    "json_match": data.json_match,
    "json_distance": data.json_distance,
    "numeric_match": matches.numeric_match,
}


def judge(key: str, config: dict[str, JSON], actual: JSON, expected: JSON, **extra: Any) -> Judgement:
    """What a kind must give for a pair; `extra` are the embeddings of the semantic kind."""
    try:
        if expected is None or actual is None:
            return _missing(key, config, "missing_expected" if expected is None else "missing_actual")
        sides = [actual, expected] if key in READ_JSON else [text(actual), text(expected)]
        cuts = key == "levenshtein_similarity" or bool(config.get("max_characters"))
        if not cuts and any(isinstance(side, str) and len(side) > LONGEST for side in sides):
            raise NoScore("error")
        return KINDS[key](*sides, **config, **extra)
    except NoScore as reason:
        return Judgement(None, None, reason.status)


def _missing(key: str, config: dict[str, JSON], status: str) -> Judgement:
    if key == "exact_match":
        return Judgement(0.0, config.get("threshold", 0.5) <= 0, status)
    skips = config.get("missing_expected", "zero") == "skip"
    if key == "levenshtein_similarity" and status == "missing_expected" and not skips:
        return Judgement(0.0, False, status)
    raise NoScore(status)
