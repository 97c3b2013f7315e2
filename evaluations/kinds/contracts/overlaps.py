"""Contracts of the kinds that count shared words and pairs of letters; the references use sets and counters."""

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.edits import longest_common_subsequence
from evaluations.kinds.contracts.judgement import Judgement, cased, utf16

JAVASCRIPT_SPACES = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# ECMAScript: WhiteSpace (TAB, VT, FF, ZWNBSP and every character of category Zs) and LineTerminator.
LINE_ENDS = "\t\v\f\n\r\u2028\u2029\ufeff"


def similarity_match(
    actual: str,
    expected: str,
    similarity_threshold: float = 0.5,
    case_sensitive: bool = True,
    comparison: str = ">",
) -> Judgement:
    actual_words, expected_words = [set(side.split()) for side in cased((actual, expected), case_sensitive)]
    value = (
        len(actual_words & expected_words) / len(actual_words | expected_words)
        if actual_words | expected_words
        else 1.0
    )
    passed = value > similarity_threshold or (comparison == ">=" and value == similarity_threshold)
    return Judgement(value, passed)


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
    shared = count_shared(runs(a, 2), runs(b, 2))
    return Judgement.reaching(scale * (2 * shared / (len(a) + len(b) - 2)), threshold)


def _is_javascript_space(character: str) -> bool:
    return character in LINE_ENDS or unicodedata.category(character) == "Zs"


def rouge_l(
    actual: str,
    expected: str,
    lowercase: bool = True,
    measure: str = "rougeL",
    tokenize: str = "word",
    threshold: float | None = None,
) -> Judgement:
    sides = cased((actual, expected), not lowercase)
    a, b = [_marked_words(side) if tokenize == "word" else _letters(side) for side in sides]
    if measure == "rougeL":
        value = 2 * longest_common_subsequence(a, b) / (len(a) + len(b)) if a or b else 0.0
        return Judgement.reaching(value, threshold)
    of_a, of_b = [runs(side, int(measure[-1])) for side in (a, b)]
    total = len(of_a) + len(of_b)
    return Judgement.reaching(2 * count_shared(of_a, of_b) / total if total else 0.0, threshold)


def _marked_words(side: str) -> list[str]:
    words, is_open = list[str](), False
    for c in side:
        if c.isalnum() or (is_open and _is_mark(c)):
            words = [*words[:-1], words[-1] + c] if is_open else [*words, c]
            is_open = True
        else:
            is_open = False
    return words


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _letters(side: str) -> list[str]:
    """The characters but blanks, each with the marks behind it."""
    text = "".join(side.split())
    starts = [n for n, c in enumerate(text) if n == 0 or not _is_mark(c)]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=False)]


def runs(items: Sequence[Hashable], length: int) -> list[tuple[Hashable, ...]]:
    """All contiguous runs of `length` items, from left to right."""
    return [tuple(items[start : start + length]) for start in range(len(items) - length + 1)]


def count_shared(a: Iterable[Hashable], b: Iterable[Hashable]) -> int:
    """The number of shared items, each counted as often as both sides have it."""
    return (Counter(a) & Counter(b)).total()


CONTRACTS = {
    "similarity_match": Contract(
        reference=similarity_match,
        formula="The number of different words in both texts, divided by the number of different words in "
        "either (Jaccard similarity); it passes if the score exceeds the threshold.",
        edge_cases=(
            NULLS,
            "Two texts without words score 1.0; a text without words against one with words scores 0.0.",
            "Words are separated by whitespace; punctuation is part of its word, and repetition is ignored.",
            "A value equal to the threshold does not pass; with comparison “>=” it does.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector(
                "Paris is the capital of France", "The capital of France is Paris", 5 / 7, True, why="5/7"
            ),
            Vector("a b", "a b c d", 0.5, False, why="2/4 does not exceed 0.5"),
            Vector("a b", "a b c d", 0.5, True, {"comparison": ">="}, why="2/4 reaches 0.5"),
            Vector("a a b", "b a", 1.0, True, why="sets of words"),
            Vector("Yes,", "yes", 0.0, False, why="case and comma count"),
            Vector("YES no", "yes no", 1.0, True, {"case_sensitive": False}),
            Vector("", " \n", 1.0, True, why="neither has a word"),
            Vector("", "a", 0.0, False),
            Vector("a\u00a0b", "a b", 1.0, True, why="a no-break space divides words"),
            Vector("a", "b", 0.0, False, {"similarity_threshold": 0.0}, why="0 does not exceed 0"),
            Vector("a", "a", 1.0, False, {"similarity_threshold": 1.0}, why="1 does not exceed 1"),
            Vector(None, "a", None, status="missing_actual"),
        ),
    ),
    "content_similarity": Contract(
        reference=content_similarity,
        formula="Twice the number of adjacent pairs of UTF-16 units that both texts share, divided by the number "
        "of such pairs of both (Sørensen–Dice coefficient), whitespace left out; times the scale.",
        edge_cases=(
            NULLS,
            "Texts that are equal without whitespace, including two empty texts, score the full scale. "
            "Otherwise a side with fewer than two units scores 0.",
            "Whitespace is what \\s matches in JavaScript; ignore_whitespace changes only the texts shown.",
            "A pair counts as often as it occurs in both texts.",
            "Without a threshold nothing passes or fails.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("night", "nacht", 0.25, why="only ht: 2 × 1 / (4 + 4)"),
            Vector("Type Script", "typescript", 1.0, why="case and blanks aside"),
            Vector("aaa", "aaaa", 0.8, why="aa twice: 2 × 2 / (2 + 3)"),
            Vector("AB", "ab", 0.0, None, {"ignore_case": False}),
            Vector("a" + JAVASCRIPT_SPACES + "b", "ab", 1.0, why="every whitespace of JavaScript"),
            Vector("a\u0085b", "ab", 0.0, why="U+0085 is none of them"),
            Vector("a😀", "a😁", 0.5, why="a and the first half: 2 × 1 / (2 + 2)"),
            Vector("a", "b", 0.0),
            Vector(" ", "", 1.0, why="both empty"),
            Vector("night", "nacht", 2.5, None, {"scale": 10.0}),
            Vector("night", "nacht", 0.25, True, {"threshold": 0.25}, why="reaches it"),
            Vector("a", None, None, status="missing_expected"),
        ),
    ),
    "rouge_l": Contract(
        reference=rouge_l,
        formula="Twice the length of the longest common subsequence of words, divided by the number of words of "
        "both texts (F1). With measure rouge1 or rouge2 twice the number of common words, or of common pairs of "
        "neighbouring words, divided by the number of those of both texts.",
        edge_cases=(
            NULLS,
            "A side without words scores 0.0, even if neither side has any.",
            "Words are runs of letters and digits of any script with their combining marks; an underscore divides "
            "them. Evaluators saved with version 1 keep cutting words at combining marks.",
            "With tokenize “char” the characters are compared, for scripts without blanks between words.",
            "Words must come in the same order, with gaps allowed; of rouge1 and rouge2 anywhere, each as often as "
            "it is in both texts.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the cat sat", "the cat lay on the mat", 4 / 9, why="the cat: 2 × 2 / (3 + 6)"),
            Vector("a b", "b a", 0.5, why="order counts: 2 × 1 / 4"),
            Vector("l’été_2", "L'ÉTÉ 2", 1.0, why="l, été, 2 on both sides"),
            Vector("YES", "yes", 0.0, None, {"lowercase": False}),
            Vector("दिन", "दीन", 0.0, why="marks belong to their word"),
            Vector("दिन", "दिन", 1.0),
            Vector("我喜欢吃苹果", "我喜欢苹果", 10 / 11, None, {"tokenize": "char"}, why="2 × 5 / (6 + 5)"),
            Vector("b a", "a b", 1.0, None, {"measure": "rouge1"}, why="both words, in any order"),
            Vector(
                "the the cat",
                "the cat",
                0.8,
                None,
                {"measure": "rouge1"},
                why="the counts once: 2 × 2 / (3 + 2)",
            ),
            Vector(
                "the cat sat", "the cat lay", 0.5, None, {"measure": "rouge2"}, why="the cat: 2 × 1 / (2 + 2)"
            ),
            Vector("cat", "cat", 0.0, None, {"measure": "rouge2"}, why="neither side has two words"),
            Vector("", "", 0.0),
            Vector("…", "yes", 0.0, why="no word"),
            Vector("a b c", "a b d", 2 / 3, True, {"threshold": 0.6}, why="2 × 2 / 6"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
}
