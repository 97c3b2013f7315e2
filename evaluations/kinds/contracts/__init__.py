"""The contracts of all kinds, by key: data only, so that nothing here can share a mistake with a formula."""

from evaluations.kinds.contracts import data, edits, matches, meaning, overlaps
from evaluations.kinds.contracts.contract import Contract, Vector

__all__ = ["CONTRACTS", "Contract", "Vector"]

CONTRACTS: dict[str, Contract] = (
    edits.CONTRACTS | overlaps.CONTRACTS | meaning.CONTRACTS | matches.CONTRACTS | data.CONTRACTS
)
