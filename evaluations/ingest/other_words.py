"""Finds a reference whose labels the outputs say in words of their own: Y and N beside "match" and "non-match"."""

from collections import Counter
from collections.abc import Sequence

from .by_values import determines
from .looked_at import AGREEMENT, ENOUGH, FEW_TEXTS, Columns, mean
from .score_words import GRADES

CLEARLY = 2 * AGREEMENT  # of what chance leaves, by which labels and words must go together


def in_other_words(file: Columns) -> None:
    """The one column of a few labels that two or more others say in the same other words, each word for one label.

    What people said and columns that are named after a model are not what is right, and neither is one that another
    column settles: a currency beside two countries.
    """
    if file.of("reference", "output", "preferred", "score", "low score"):
        return
    labels = {name: words for name in file.free if (words := _labels(file, name))}
    found: list[tuple[str, list[str]]] = []
    for words in dict.fromkeys(labels.values()):
        answers = [name for name in labels if labels[name] == words and not file.words[name] & GRADES]
        if len(answers) < 2:
            continue
        found += [
            (right, answers)
            for right, its_labels in labels.items()
            if len(its_labels) == len(words) and its_labels.isdisjoint(words)
            if not file.names_a_variant(right)
            if not any(determines(file, name, right) for name in answers)
            if _is_agreed_with(file, right, answers)
        ]
    if len(found) == 1:
        [(right, answers)] = found
        file.graded |= {*answers}  # and so none of them is what is right
        file.guess(right, "reference", f"columns such as “{answers[0][:40]}” say its labels in other words")
        for name in answers:
            file.guess(name, "output", f"it says the labels of “{right[:40]}” in other words")


def _is_agreed_with(file: Columns, right: str, answers: Sequence[str]) -> bool:
    """Whether all answers go clearly together with a column; three and more best with it, and not with one of them."""
    agreed = [_together(file, name, right) for name in answers]
    best = max(
        mean(_together(file, name, other) for other in (*answers, right) if other != name) for name in answers
    )
    return min(agreed) >= CLEARLY and (len(answers) == 2 or mean(agreed) >= best)


def _labels(file: Columns, name: str) -> frozenset[str]:
    """The few texts of a column, without letter case; none of a column of many, or of numbers that are no 0 and 1."""
    cells = [text.casefold() for text in file.cells(name) if text]
    labels = frozenset(cells)
    is_few = 1 < len(labels) <= FEW_TEXTS and len(cells) >= ENOUGH and len(cells) * 2 > len(file.cells(name))
    return labels if is_few and (file.has_texts(name) or labels == {"0", "1"}) else frozenset()


def _together(file: Columns, name: str, other: str) -> float:
    """How often each text of one column stands beside its own of the other, of what chance leaves."""
    both = zip(file.cells(name), file.cells(other), strict=True)
    pairs = [(one.casefold(), two.casefold()) for one, two in both if one and two]
    counts, texts = Counter(pairs), {text for _, text in pairs}
    most = {text: max((word for word, _ in counts), key=lambda word: counts[word, text]) for text in texts}
    if len(pairs) < ENOUGH or len({*most.values()}) < len(texts):
        return 0.0
    share = sum(counts[word, text] for text, word in most.items()) / len(pairs)
    by_word, by_text = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(by_word[word] * by_text[text] for text, word in most.items()) / len(pairs) ** 2
    return (share - chance) / (1 - chance)
