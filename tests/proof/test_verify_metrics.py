"""`manage.py verify_metrics` finds wrong formulas."""

import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from rapidfuzz.distance import Jaro

from evaluations import kinds
from evaluations.kinds import pairs, presets
from evaluations.kinds.contracts import CONTRACTS
from evaluations.kinds.levenshtein import SimilarityConfig
from evaluations.metrics import (
    bleu,
    chrf,
    cosine,
    dice,
    jaccard,
    json_diff,
    levenshtein,
    number_reader,
    patterns,
    ratios,
    rouge,
)
from evaluations.proof import catalogue_page, verification

every_kind = pytest.mark.parametrize("kind", kinds.CATALOGUE.values(), ids=lambda kind: kind.key)


def verify(*keys, pairs=0):
    call_command("verify_metrics", *keys, pairs=pairs, stdout=(output := StringIO()), no_color=True)
    return output.getvalue()


def scaled(function):
    """A formula that is wrong by one part in ten million."""
    return lambda *args, **kwargs: function(*args, **kwargs) * (1 - 1e-7)


compile_pattern = patterns._compile
FAULTS = [
    (
        "levenshtein_similarity",
        levenshtein,
        "rounded_similarities",
        lambda d, n: np.round(1 - d / np.maximum(n, 1), 2),
    ),
    ("levenshtein_distance", levenshtein, "_batch", scaled(levenshtein._batch)),
    ("similarity_match", jaccard, "_of_sets", lambda a, e: len(a & e) / max(len(a), len(e), 1)),
    ("semantic_similarity", cosine, "similarity", lambda a, b: float(np.dot(a, b))),
    ("content_similarity", dice, "STAYS", np.ones(0x10000, bool)),
    ("content_similarity", dice, "similarities", scaled(dice.similarities)),
    ("exact_match", pairs, "LONGEST", 99_999),
    ("chrf", pairs, "LONGEST", 100_001),
    ("json_match", json_diff, "DEEPEST", 201),
    ("json_distance", json_diff, "DEEPEST", 199),
    ("exact_match", pairs.Pairs, "cased", lambda self, case_sensitive: self.lowered),
    ("contains", pairs.Pairs, "cased", lambda self, case_sensitive: self.lowered),
    ("regex_match", patterns, "_compile", lambda pattern, ignore_case=False: compile_pattern(pattern)),
    ("indel_similarity", ratios, "indel", scaled(ratios.indel)),
    ("jaro_winkler", ratios, "JaroWinkler", Jaro),
    ("sentence_bleu", bleu, "ORDER", 3),
    ("chrf", chrf, "CHARACTERS", range(1, 6)),
    ("chrf", chrf, "CHARACTERS", range(1, 8)),
    ("rouge_l", rouge, "MARKED_WORDS", re.compile(r"\w+")),
    ("json_match", json_diff, "_frozen", lambda value, ignore_order: repr(value)),
    ("json_distance", json_diff, "count", lambda a, e: int(a != e)),
    ("numeric_match", number_reader, "MINUS", ""),
]


@pytest.mark.long
def test_every_number_of_the_product_agrees_with_the_reference():
    assert verify(pairs=25).endswith("Every number agrees.\n")


@pytest.mark.parametrize(("key", "module", "name", "fault"), FAULTS)
def test_a_changed_constant_or_formula_is_found(monkeypatch, key, module, name, fault):
    monkeypatch.setattr(module, name, fault)

    with pytest.raises(CommandError, match="differ"):
        verify(key)


def test_a_changed_formula_for_long_texts_is_found(monkeypatch):
    monkeypatch.setattr(jaccard, "_of_numbers", scaled(jaccard._of_numbers))

    with pytest.raises(CommandError, match="differ"):
        verify("similarity_match", pairs=40)


def test_a_changed_default_is_found(monkeypatch):
    kind = kinds.get("levenshtein_similarity")
    monkeypatch.setattr(
        type(kind), "parse", lambda self, config: self.Config(**({"threshold": 0.5} | dict(config)))
    )

    with pytest.raises(CommandError, match="differ"):
        verify("levenshtein_similarity")


@pytest.mark.parametrize("length", [9_999, 10_001])
def test_a_changed_cut_is_found(monkeypatch, length):
    monkeypatch.setattr(SimilarityConfig.model_fields["max_characters"], "default", length)
    SimilarityConfig.model_rebuild(force=True)

    with pytest.raises(CommandError, match="differ"):
        verify("levenshtein_similarity")

    monkeypatch.undo()
    SimilarityConfig.model_rebuild(force=True)


def test_an_unknown_kind_is_named():
    with pytest.raises(CommandError, match="levenshtein_similarity"):
        verify("levenstein")


def test_every_kind_has_a_contract_and_every_contract_a_kind():
    assert set(CONTRACTS) == set(kinds.CATALOGUE)


@every_kind
def test_a_contract_has_sentences_and_golden_cases(kind):
    contract = kind.contract

    assert all(sentence.endswith(".") for sentence in (contract.formula, *contract.edge_cases))
    assert len(contract.golden) >= 8
    assert {vector.status for vector in contract.golden} - {"scored"}
    if "threshold" in kind.Config.model_fields or kind.binary:
        assert True in {vector.passed for vector in contract.golden}


@pytest.mark.parametrize("preset", presets.PRESETS, ids=lambda preset: preset.key)
def test_the_examples_of_a_preset_hold_by_the_reference(preset):
    for example in preset.examples:
        vector = verification.Vector(
            example.actual, example.expected, example.value, config=preset.config, embeddings=example.vectors
        )
        judgement = kinds.get(preset.kind).contract.judge(vector)

        assert (judgement.value, judgement.passed) == (pytest.approx(example.value, abs=1e-9), example.passed)


def test_the_page_has_a_heading_for_every_kind():
    headings = re.findall(r"^## (.+)$", catalogue_page.page(), re.MULTILINE)

    assert headings == ["Choose an evaluator", *(kind.title for kind in kinds.CATALOGUE.values())]
