"""Splits many ASCII texts into words, and numbers the words without an object per word."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BITS = 56  # bits of a number: eight characters of seven bits; for a long word, NUL (in no word) and a count
LANE = 8
BLANK = np.zeros(128, bool)
BLANK[[code for code in range(128) if chr(code).isspace()]] = True
MASKS = np.array([(1 << 8 * length) - 1 for length in range(LANE + 1)], np.uint64)
# masks that pack eight bytes of seven bits: first neighbours, then pairs, then groups of four
SQUEEZES = ((0x007F007F007F007F, 8, 1), (0x00003FFF00003FFF, 16, 2), (0x0FFFFFFF, 32, 4))

Numbers = NDArray[np.uint64]


def numbered(texts: Sequence[str]) -> tuple[Numbers, NDArray[np.intp]]:
    """The words that `str.split()` finds, text after text, and how many each text has.

    Within one call equal words, and only they, have equal numbers. Texts are ASCII without NUL.
    """
    joined = f" {' '.join(texts)} {' ' * 2 * LANE}".encode()
    blank = BLANK.take(np.frombuffer(joined, np.uint8))
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    words = _eight(joined, starts, lengths)
    long = np.flatnonzero(lengths > LANE)
    if len(long):
        words[long] = _of_long(joined, words[long], starts[long], lengths[long]) << np.uint64(7)
    ends = np.cumsum([len(text) + 1 for text in texts])
    return words, np.diff(np.searchsorted(starts, ends), prepend=0)


def _eight(text: bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> Numbers:
    """Up to eight characters from each start, packed into one number."""
    lanes = np.ndarray(len(text) - LANE + 1, "<u8", text, strides=(1,))
    numbers = lanes[starts] & MASKS.take(lengths, mode="clip")
    for low, shift, gap in SQUEEZES:
        numbers = (numbers & np.uint64(low)) | (numbers & np.uint64(low << shift)) >> np.uint64(gap)
    return numbers


def _of_long(joined: bytes, begin: Numbers, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> Numbers:
    """Small numbers for words of more than eight characters; `begin` has the first eight characters of each."""
    second_eight = _eight(joined, starts + LANE, lengths - LANE)
    first, second = (np.unique(part, return_inverse=True)[1] for part in (begin, second_eight))
    numbers = first * len(begin) + second
    longest: dict[bytes, int] = {}
    for word in np.flatnonzero(lengths > 2 * LANE).tolist():
        text = joined[starts[word] : starts[word] + lengths[word]]
        numbers[word] = len(begin) ** 2 + longest.setdefault(text, len(longest))
    return numbers.astype(np.uint64)
