"""Which messages of two versions belong together: by role and text, so that one put in front moves the others on."""

from collections import Counter
from collections.abc import Sequence

Told = tuple[str, str]  # role and text
Pair = tuple[
    int | None, int | None
]  # places in the older and the newer version; None where it has no such message

ALONE = 1.0  # the cost of a message that one version lacks; two of them cost more than any pair of one role
OTHER_ROLE = 1.5  # of a pair with equal texts and different roles
NEVER = 3.0


def pairs(old: Sequence[Told], new: Sequence[Told]) -> list[Pair]:
    """The messages of both versions in order, paired at the least cost.

    >>> pairs([("user", "What is {{ q }}?")], [("system", "You are a clerk."), ("user", "What is {{ q }}, please?")])
    [(None, 0), (0, 1)]
    >>> pairs([("user", "a"), ("user", "b")], [("user", "c")])
    [(0, None), (1, 0)]
    """
    words = [[Counter(text.split()) for _, text in part] for part in (old, new)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for left in range(len(old), -1, -1):
        for right in range(len(new), -1, -1):
            if left == len(old) or right == len(new):
                best[left][right] = ALONE * (len(old) - left + len(new) - right)
                continue
            together = _cost(old[left], new[right], words[0][left], words[1][right])
            best[left][right] = min(
                together + best[left + 1][right + 1],
                ALONE + best[left + 1][right],
                ALONE + best[left][right + 1],
            )
    return _path(best, len(old), len(new))


def _path(best: Sequence[Sequence[float]], lefts: int, rights: int) -> list[Pair]:
    left = right = 0
    found: list[Pair] = []
    while left < lefts or right < rights:
        if left < lefts and best[left][right] == ALONE + best[left + 1][right]:
            found.append((left, None))
            left += 1
        elif right < rights and best[left][right] == ALONE + best[left][right + 1]:
            found.append((None, right))
            right += 1
        else:
            found.append((left, right))
            left, right = left + 1, right + 1
    return found


def _cost(old: Told, new: Told, old_words: Counter[str], new_words: Counter[str]) -> float:
    """From 0 for equal messages to 1 for those that have only their role in common."""
    if old[0] != new[0]:
        return OTHER_ROLE if old[1] == new[1] else NEVER
    shared, every = (old_words & new_words).total(), old_words.total() + new_words.total()
    return 0.0 if old[1] == new[1] else 1 - 2 * shared / every if every else 1.0
