"""The catalogue of evaluator kinds. To add one, write its module and its contract, and add it to both tables."""

from evaluations.kinds import presets
from evaluations.kinds.check import check
from evaluations.kinds.checks import checks
from evaluations.kinds.config import Config, ConfigError
from evaluations.kinds.contains import contains
from evaluations.kinds.content_similarity import content_similarity
from evaluations.kinds.error_rate import error_rate
from evaluations.kinds.exact_match import exact_match
from evaluations.kinds.formula import formula
from evaluations.kinds.json_fields import json_fields
from evaluations.kinds.json_schema import json_schema
from evaluations.kinds.json_values import json_distance, json_match
from evaluations.kinds.judge import judge, pair_judge
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.label import label
from evaluations.kinds.levenshtein import levenshtein_distance, levenshtein_similarity
from evaluations.kinds.number_closeness import number_closeness
from evaluations.kinds.numeric_match import numeric_match
from evaluations.kinds.people import people
from evaluations.kinds.ratios import indel_similarity, jaro_winkler
from evaluations.kinds.regex_match import regex_match
from evaluations.kinds.retrieval import retrieval
from evaluations.kinds.rouge_l import rouge_l
from evaluations.kinds.scores import Scores
from evaluations.kinds.semantic_similarity import semantic_similarity
from evaluations.kinds.sent import sent
from evaluations.kinds.similarity_match import similarity_match
from evaluations.kinds.token_f1 import token_f1
from evaluations.kinds.tool_calls import tool_calls
from evaluations.kinds.translation import chrf_score, sentence_bleu
from evaluations.kinds.value import value
from evaluations.values import Column, Status

__all__ = [
    "CATALOGUE",
    "JUDGES",
    "RECORDED",
    "Column",
    "Config",
    "ConfigError",
    "Family",
    "Kind",
    "Scores",
    "Status",
    "UnknownKind",
    "by_family",
    "get",
    "presets",
]

CATALOGUE: dict[str, Kind] = {
    kind.key: kind
    for kind in (
        levenshtein_similarity,
        levenshtein_distance,
        similarity_match,
        semantic_similarity,
        content_similarity,
        exact_match,
        label,
        contains,
        check,
        checks,
        regex_match,
        indel_similarity,
        jaro_winkler,
        error_rate,
        sentence_bleu,
        chrf_score,
        rouge_l,
        token_f1,
        json_match,
        json_distance,
        json_fields,
        json_schema,
        tool_calls,
        retrieval,
        numeric_match,
        number_closeness,
        value,
        formula,
    )
}

RECORDED: dict[str, Kind] = {
    kind.key: kind for kind in (sent, people)
}  # nobody can choose these to score a run

JUDGES: dict[str, Kind] = {kind.key: kind for kind in (judge, pair_judge)}  # models that are asked and paid


class UnknownKind(LookupError):
    """No kind has this key; the message lists the valid ones."""


def get(key: str, version: int | None = None) -> Kind:
    """The kind with this key, with the formula of a version (by default the newest); raises `UnknownKind`."""
    kind = CATALOGUE.get(key) or JUDGES.get(key) or RECORDED.get(key)
    while kind and version and kind.version > version and kind.earlier:
        kind = kind.earlier
    if kind is None:
        raise UnknownKind(f"Unknown evaluator kind {key!r}. The kinds are {', '.join(CATALOGUE)}.")
    return kind


def by_family() -> dict[Family, list[Kind]]:
    """All kinds by the heading of their family, in catalogue order."""
    return {family: [kind for kind in CATALOGUE.values() if kind.family == family] for family in Family}
