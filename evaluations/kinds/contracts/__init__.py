"""The contracts of all kinds, by key.

Nothing here uses a formula of `metrics` or a default of a kind, so that a mistake there shows up as a difference.
"""

from evaluations.kinds.contracts import (
    answers,
    checks,
    data,
    edits,
    fields,
    formula,
    grades,
    matches,
    meaning,
    outside,
    overlaps,
    ranking,
    structures,
    translation,
)
from evaluations.kinds.contracts.contract import Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement

__all__ = ["CONTRACTS", "Contract", "Judgement", "Vector"]

CONTRACTS: dict[str, Contract] = (
    edits.CONTRACTS
    | overlaps.CONTRACTS
    | translation.CONTRACTS
    | meaning.CONTRACTS
    | matches.CONTRACTS
    | data.CONTRACTS
    | answers.CONTRACTS
    | structures.CONTRACTS
    | fields.CONTRACTS
    | ranking.CONTRACTS
    | checks.CONTRACTS
    | outside.CONTRACTS
    | formula.CONTRACTS
    | grades.CONTRACTS
)
