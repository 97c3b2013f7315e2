"""Contracts of BLEU and chrF; the references count n-grams with counters and exact fractions."""

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from math import exp, prod
from string import punctuation

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, cased
from evaluations.kinds.contracts.overlaps import count_shared, runs


def sentence_bleu(
    actual: str,
    expected: str,
    tokenize: str = "13a",
    lowercase: bool = False,
    threshold: float | None = None,
) -> Judgement:
    """Papineni's BLEU of one sentence; each n-gram length without a match halves the smoothed precision again."""
    sides = [side.rstrip() for side in cased((actual, expected), not lowercase)]
    a, b = [TOKENIZERS[tokenize](side).split() for side in sides]
    precisions, matches, halves = [], 0, 1
    for order in range(1, 5):
        grams = runs(a, order)
        if not grams:
            break
        shared = count_shared(grams, runs(b, order))
        matches += shared
        halves *= 1 if shared else 2
        precisions.append(shared / len(grams) if shared else 1 / (halves * len(grams)))
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
    """The tokens of mteval-v14: splits punctuation next to anything but a number, then all symbols."""
    for pattern, form in (("[^N]P", "{0} {1} "), ("P[^N]", " {0} {1}"), ("S", " {0} ")):
        kinds = "".join(unicodedata.category(character)[0] for character in text)
        parts, end = [], 0
        for match in re.finditer(pattern, kinds):
            parts += [text[end : match.start()], form.format(*text[match.start() : match.end()])]
            end = match.end()
        text = "".join([*parts, text[end:]])
    return text


def _chinese(text: str) -> str:
    """Every character of sacrebleu's Chinese ranges apart, the others as in 13a without its entities."""
    apart = "".join(
        f" {c} " if any(low <= ord(c) <= high for low, high in CHINESE) else c for c in text.strip()
    )
    always = "".join(re.escape(mark) for mark in punctuation + " " if mark not in "'-,.")
    apart = re.sub(f"([{always}])", r" \1 ", apart)
    apart = re.sub(r"([^0-9])([.,])", r"\1 \2 ", apart)
    apart = re.sub(r"([.,])([^0-9])", r" \1 \2", apart)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", apart)


# Two ranges were meant for characters beyond U+FFFF, and are read as these.
CHINESE = (
    *(
        (0x3400, 0x4DB5),
        (0x4E00, 0x9FA5),
        (0x9FA6, 0x9FBB),
        (0xF900, 0xFA2D),
        (0xFA30, 0xFA6A),
        (0xFA70, 0xFAD9),
    ),
    *(
        (0x2001, 0x2A6D),
        (0x2F81, 0x2FA1),
        (0xFF00, 0xFFEF),
        (0x2E80, 0x2EFF),
        (0x3000, 0x303F),
        (0x31C0, 0x31EF),
    ),
    *(
        (0x2F00, 0x2FDF),
        (0x2FF0, 0x2FFF),
        (0x3100, 0x312F),
        (0x31A0, 0x31BF),
        (0xFE10, 0xFE1F),
        (0xFE30, 0xFE4F),
    ),
    *((0x2600, 0x26FF), (0x2700, 0x27BF), (0x3200, 0x32FF), (0x3300, 0x33FF)),
)

TOKENIZERS: dict[str, Callable[[str], str]] = {
    "13a": _western,
    "intl": _international,
    "zh": _chinese,
    "char": " ".join,
    "none": str,
}


def chrf(
    actual: str, expected: str, word_order: int = 0, beta: int = 2, threshold: float | None = None
) -> Judgement:
    """Popović's chrF and chrF++, in exact fractions."""
    characters = ["".join(side.split()) for side in (actual, expected)]
    words = [_words(side) for side in (actual, expected)]
    ratios = []
    for sides, orders in ((characters, range(1, 7)), (words, range(1, word_order + 1))):
        for order in orders:
            a, b = [runs(side, order) for side in sides]
            if a and b:
                ratios.append((Fraction(count_shared(a, b), len(a)), Fraction(count_shared(a, b), len(b))))
    precision = sum(p for p, _ in ratios) / max(len(ratios), 1)
    recall = sum(r for _, r in ratios) / max(len(ratios), 1)
    if not precision + recall:
        return Judgement.reaching(0.0, threshold)
    value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return Judgement.reaching(float(value), threshold)


def _words(text: str) -> list[str]:
    """Words, with one punctuation mark split off at the end, or else at the beginning."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


CONTRACTS = {
    "sentence_bleu": Contract(
        reference=sentence_bleu,
        formula="The geometric mean of the precisions of runs of one to four tokens, times exp(1 − expected / "
        "actual tokens) if the output is shorter. A precision without a match is smoothed to 1/2, 1/4, … of "
        "one match; runs longer than the output are excluded from the mean.",
        edge_cases=(
            NULLS,
            "The score is 0.0 if the texts have no token in common, or if a side is empty.",
            "A run counts at most as often as it occurs in the expected text.",
            "With several references, a run counts at most as often as in the reference where it occurs most "
            "often. The expected length is that of the reference closest in length; of two equally close "
            "ones, the shorter.",
            "13a separates punctuation, except between digits; intl separates all punctuation and symbols; char "
            "takes every character; none splits at whitespace.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the cat sat on the mat", "the cat sat on the mat", 1.0),
            Vector("a b c d e", "a b c d f", 0.2**0.25, why="(4/5 × 3/4 × 2/3 × 1/2)^(1/4)"),
            Vector("the cat", "the cat sat on the mat", exp(-2), why="(1 × 1)^(1/2) × exp(1 − 6/2)"),
            Vector("the the the the", "the cat", 1536**-0.25, why="(1/4 × 1/6 × 1/8 × 1/8)^(1/4)"),
            Vector("a b", "c d", 0.0, why="nothing in common"),
            Vector("", "x", 0.0),
            Vector("Hello, world", "Hello , world", 1.0, why="13a separates the comma"),
            Vector("Hello, world", "Hello , world", 0.5 * exp(-0.5), None, {"tokenize": "none"}),
            Vector("1,000.5", "1 , 000 . 5", 0.0, why="13a leaves numbers whole"),
            Vector("猫が好", "猫が好き", exp(-1 / 3), None, {"tokenize": "char"}, why="exp(1 − 4/3)"),
            Vector("«oui»", "« oui »", 1.0, None, {"tokenize": "intl"}),
            Vector("我喜欢Python", "我喜欢Python", 1.0, None, {"tokenize": "zh"}),
            Vector("THE CAT", "the cat", 1.0, True, {"lowercase": True, "threshold": 1.0}),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "chrf": Contract(
        reference=chrf,
        formula="F-beta of precision and recall of runs of one to six characters, whitespace removed, each "
        "averaged over the lengths that both texts have; with word_order also of runs of one or two words.",
        edge_cases=(
            NULLS,
            "An empty text scores 0.0, even against another empty text.",
            "A run counts at most as often as it occurs in the other text.",
            "With several references, the reference with the highest score counts; if several score"
            " equally, the first.",
            "Words are divided at whitespace; one punctuation mark at the end or beginning is a separate word.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("abc", "abc", 1.0),
            Vector("abcd", "abce", 23 / 48, why="(3/4 + 2/3 + 1/2 + 0) / 4 both ways"),
            Vector(
                "abcdefg", "abcdefh", 617 / 840, why="(6/7 + 5/6 + 4/5 + 3/4 + 2/3 + 1/2) / 6: six at most"
            ),
            Vector("ab", "abcd", 25 / 53, why="P = 1, R = 5/12: 5 × R / (4 + R)"),
            Vector("ab", "abcd", 10 / 17, None, {"beta": 1}, why="2 × R / (1 + R)"),
            Vector("ab c", "ab d", 1 / 3, None, {"word_order": 2}, why="(2/3 + 1/2 + 0 + 1/2 + 0) / 5"),
            Vector("yes!", "yes !", 1.0, None, {"word_order": 1}, why="the mark is a word"),
            Vector("a b", "ab", 1.0, why="whitespace does not count"),
            Vector("", "", 0.0),
            Vector("AB", "ab", 0.0, False, {"threshold": 0.1}, why="case counts"),
            Vector("ab", "ab", 1.0, True, {"threshold": 1.0}, why="a threshold of 1 counts"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
}
