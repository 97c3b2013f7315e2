"""The evaluator kinds. Reading this table is reading the catalogue."""

from evaluations.kinds import presets
from evaluations.kinds.config import Config, ConfigError
from evaluations.kinds.contains import contains
from evaluations.kinds.content_similarity import content_similarity
from evaluations.kinds.exact_match import exact_match
from evaluations.kinds.json_values import json_distance, json_match
from evaluations.kinds.kind import Kind
from evaluations.kinds.levenshtein import levenshtein_distance, levenshtein_similarity
from evaluations.kinds.numeric_match import numeric_match
from evaluations.kinds.ratios import indel_similarity, jaro_winkler
from evaluations.kinds.regex_match import regex_match
from evaluations.kinds.rouge_l import rouge_l
from evaluations.kinds.scores import Scores
from evaluations.kinds.semantic_similarity import semantic_similarity
from evaluations.kinds.similarity_match import similarity_match
from evaluations.kinds.translation import chrf_score, sentence_bleu
from evaluations.values import Column, Status

__all__ = [
    "CATALOGUE",
    "Column",
    "Config",
    "ConfigError",
    "Kind",
    "Scores",
    "Status",
    "UnknownKind",
    "get",
    "presets",
]

CATALOGUE: dict[str, Kind] = {
    kind.key: kind
    for kind in (
        levenshtein_similarity,  # seed 000: 1 - edits / longer length, in hundredths
        levenshtein_distance,  # seeds 001, 002: number of edits
        similarity_match,  # seed 002: words in both / words in either
        semantic_similarity,  # seed 002: cosine of embeddings
        content_similarity,  # seed 003: pairs of letters in common
        exact_match,  # seed 004: the same text
        contains,  # a phrase that must appear
        regex_match,  # a pattern that must fit
        indel_similarity,  # 2 LCS / both lengths
        jaro_winkler,  # short names and codes
        sentence_bleu,  # runs of words in common
        chrf_score,  # runs of characters in common
        rouge_l,  # longest common sequence of words
        json_match,  # the same data
        json_distance,  # places at which data differs
        numeric_match,  # the same number
    )
}


class UnknownKind(LookupError):
    """No kind has this key; the message lists those there are."""


def get(key: str) -> Kind:
    """The kind with a key."""
    try:
        return CATALOGUE[key]
    except KeyError:
        raise UnknownKind(f"There is no evaluator kind {key!r}; there are {', '.join(CATALOGUE)}.") from None
