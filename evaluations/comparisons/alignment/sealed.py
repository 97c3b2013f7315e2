"""Which scores of a comparison the seal hides (`labelling/seal.py`), as a part of the keys of cached values."""

from hashlib import blake2b

import numpy as np

from evaluations.statistics.terms import Mask


def key(sealed: Mask) -> str:
    """What a cached value that leaves these slots out depends on."""
    return blake2b(np.packbits(sealed).tobytes(), digest_size=16).hexdigest() if sealed.any() else ""
