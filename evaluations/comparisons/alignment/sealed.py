"""Which scores of a comparison the seal hides (`labelling/seal.py`)."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from evaluations.statistics.terms import Mask


@dataclass(frozen=True, eq=False)
class Sealed:
    """The `slots` with a hidden score, one for each position of the comparison.

    A cached value that leaves them out depends on `key`, which is "" if nothing is hidden. It is computed once: a page
    asks for dozens of keys, and each would look through the slots of all examples.
    """

    slots: Mask
    key: str = ""

    @classmethod
    def from_slots(cls, slots: Mask) -> "Sealed":
        packed = np.packbits(slots).tobytes()
        return cls(slots, blake2b(packed, digest_size=16).hexdigest() if slots.any() else "")
