"""The examples of a comparison with a score that the seal hides (`labelling/seal.py`), by evaluator."""

from hashlib import blake2b

import numpy as np

from evaluations.labelling import seal
from evaluations.statistics.terms import Mask

from .alignment import Aligner


def mask(aligner: Aligner, evaluator_id: int) -> Mask:
    """The slots of examples with a hidden score of any side."""
    scorings = {scoring.pk: scoring for scoring in aligner.scorings(evaluator_id)}
    sealed = np.zeros(len(aligner.positions), np.bool_)
    for pk, positions in seal.hidden(scorings.values()).items():
        placement = aligner.placement(scorings[pk].run_id)
        sealed |= placement.to_shared(seal.slots_of(positions, placement.positions), False)
    return sealed


def key(sealed: Mask) -> str:
    """What a cached value that leaves these slots out depends on."""
    return blake2b(np.packbits(sealed).tobytes(), digest_size=16).hexdigest() if sealed.any() else ""
