"""What two texts have in common, with sets, counters and plain loops."""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import exp, prod
from string import punctuation

from .edits import longest_common_subsequence
from .judgement import Judgement, cased, utf16


def similarity_match(
    actual: str,
    expected: str,
    similarity_threshold: float = 0.5,
    case_sensitive: bool = True,
    comparison: str = ">",
) -> Judgement:
    ours, theirs = [set(side.split()) for side in cased((actual, expected), case_sensitive)]
    value = len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0
    passed = value > similarity_threshold or (comparison == ">=" and value == similarity_threshold)
    return Judgement(value, passed)


# ECMAScript: WhiteSpace (TAB, VT, FF, ZWNBSP and every character of category Zs) and LineTerminator.
LINE_ENDS = "\t\v\f\n\r\u2028\u2029\ufeff"


def _is_javascript_space(character: str) -> bool:
    return character in LINE_ENDS or unicodedata.category(character) == "Zs"


def content_similarity(
    actual: str,
    expected: str,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    scale: float = 1.0,
    threshold: float | None = None,
) -> Judgement:
    sides = cased((actual, expected), not ignore_case)
    a, b = [utf16("".join(c for c in side if not _is_javascript_space(c))) for side in sides]
    if a == b:
        return Judgement.reaching(scale, threshold)
    if len(a) < 2 or len(b) < 2:
        return Judgement.reaching(0.0, threshold)
    shared = _shared(_runs(a, 2), _runs(b, 2))
    return Judgement.reaching(scale * (2 * shared / (len(a) + len(b) - 2)), threshold)


def _runs(items: Sequence[Hashable], length: int) -> list[tuple[Hashable, ...]]:
    """All runs of a length, from left to right."""
    return [tuple(items[start : start + length]) for start in range(len(items) - length + 1)]


def _shared(a: Iterable[Hashable], b: Iterable[Hashable]) -> int:
    """How many items both have, each as often as both have it."""
    return (Counter(a) & Counter(b)).total()


def sentence_bleu(
    actual: str,
    expected: str,
    tokenize: str = "13a",
    lowercase: bool = False,
    threshold: float | None = None,
) -> Judgement:
    """Papineni's BLEU of one sentence; a precision of nothing is halved once more each time it happens."""
    sides = [side.rstrip() for side in cased((actual, expected), not lowercase)]
    a, b = [TOKENIZERS[tokenize](side).split() for side in sides]
    precisions, matches, halves = [], 0, 1
    for order in range(1, 5):
        runs = _runs(a, order)
        if not runs:
            break
        shared = _shared(runs, _runs(b, order))
        matches += shared
        halves *= 1 if shared else 2
        precisions.append(shared / len(runs) if shared else 1 / (halves * len(runs)))
    if not matches:
        return Judgement.reaching(0.0, threshold)
    brevity = min(1.0, exp(1 - len(b) / len(a)))
    return Judgement.reaching(min(brevity * prod(precisions) ** (1 / len(precisions)), 1.0), threshold)


def _western(text: str) -> str:
    """The tokens of NIST's mteval-v13a."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    always = "".join(re.escape(mark) for mark in punctuation + " " if mark not in "'-,.")
    text = re.sub(f"([{always}])", r" \1 ", f" {text} ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text)


def _international(text: str) -> str:
    """mteval-v14: punctuation beside anything but a number, then all symbols."""
    for pattern, form in (("[^N]P", "{0} {1} "), ("P[^N]", " {0} {1}"), ("S", " {0} ")):
        kinds = "".join(unicodedata.category(character)[0] for character in text)
        parts, end = [], 0
        for match in re.finditer(pattern, kinds):
            parts += [text[end : match.start()], form.format(*text[match.start() : match.end()])]
            end = match.end()
        text = "".join([*parts, text[end:]])
    return text


TOKENIZERS = {"13a": _western, "intl": _international, "char": " ".join, "none": str}


def chrf(
    actual: str, expected: str, word_order: int = 0, beta: int = 2, threshold: float | None = None
) -> Judgement:
    """Popović's chrF and chrF++, in exact fractions."""
    characters = ["".join(side.split()) for side in (actual, expected)]
    words = [_words(side) for side in (actual, expected)]
    ratios = []
    for sides, orders in ((characters, range(1, 7)), (words, range(1, word_order + 1))):
        for order in orders:
            a, b = [_runs(side, order) for side in sides]
            if a and b:
                ratios.append((Fraction(_shared(a, b), len(a)), Fraction(_shared(a, b), len(b))))
    precision = sum(p for p, _ in ratios) / max(len(ratios), 1)
    recall = sum(r for _, r in ratios) / max(len(ratios), 1)
    if not precision + recall:
        return Judgement.reaching(0.0, threshold)
    value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return Judgement.reaching(float(value), threshold)


def _words(text: str) -> list[str]:
    """Words, with one mark at the end, or else at the beginning, taken off."""
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in punctuation:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def rouge_l(actual: str, expected: str, lowercase: bool = True, threshold: float | None = None) -> Judgement:
    a, b = [
        "".join(c if c.isalnum() else " " for c in side).split()
        for side in cased((actual, expected), not lowercase)
    ]
    value = 2 * longest_common_subsequence(a, b) / (len(a) + len(b)) if a or b else 0.0
    return Judgement.reaching(value, threshold)
