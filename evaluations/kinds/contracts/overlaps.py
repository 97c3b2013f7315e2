"""Contracts of the kinds that count what two texts have in common: words, pairs of letters, n-grams."""

from math import exp

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector

JAVASCRIPT_SPACES = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

CONTRACTS = {
    "similarity_match": Contract(
        formula="The number of different words that both texts have, divided by the number of different words "
        "that either has (Jaccard similarity); it passes if that exceeds the threshold.",
        edge_cases=(
            NULLS,
            "Two texts without a word are alike: 1.0; one without a word against one with words: 0.0.",
            "Words are what lies between whitespace; punctuation belongs to its word, and repetition does not "
            "count.",
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
        formula="Twice the number of adjacent pairs of UTF-16 units that both texts share, divided by the number "
        "of such pairs of both (Sørensen–Dice coefficient), whitespace left out; times the scale.",
        edge_cases=(
            NULLS,
            "Texts that are equal without whitespace, also two empty ones, score the whole scale; otherwise a "
            "side of fewer than two units scores 0.",
            "Whitespace is what \\s matches in JavaScript; ignore_whitespace changes only the texts shown.",
            "A pair counts as often as both texts have it.",
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
    "sentence_bleu": Contract(
        formula="The geometric mean of the precisions of runs of one to four tokens, times exp(1 − expected / "
        "actual tokens) where the answer is shorter. A precision of no match is 1/2, 1/4, … of one match; runs "
        "longer than the answer are left out of the mean.",
        edge_cases=(
            NULLS,
            "Without a common token the score is 0.0; so it is where a side is empty.",
            "A run counts at most as often as the expected text has it.",
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
            Vector("THE CAT", "the cat", 1.0, True, {"lowercase": True, "threshold": 1.0}),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "chrf": Contract(
        formula="F-beta of precision and recall of runs of one to six characters, whitespace removed, each "
        "averaged over the lengths that both texts have; with word_order also of runs of one or two words.",
        edge_cases=(
            NULLS,
            "An empty text, also against another empty one, scores 0.0.",
            "A run counts at most as often as the other text has it.",
            "Words are divided at whitespace; one punctuation mark at the end or beginning is a word of its own.",
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
            Vector("ab", "ab", 1.0, True, {"threshold": 1.0}, why="1 is a threshold"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
    "rouge_l": Contract(
        formula="Twice the length of the longest common subsequence of words, divided by the number of words of "
        "both texts (F1).",
        edge_cases=(
            NULLS,
            "A side without words scores 0.0, also against another one.",
            "Words are runs of letters and digits of any script; an underscore divides them.",
            "Words must come in the same order, with gaps allowed.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the cat sat", "the cat lay on the mat", 4 / 9, why="the cat: 2 × 2 / (3 + 6)"),
            Vector("a b", "b a", 0.5, why="order counts: 2 × 1 / 4"),
            Vector("l’été_2", "L'ÉTÉ 2", 1.0, why="l, été, 2 on both sides"),
            Vector("YES", "yes", 0.0, None, {"lowercase": False}),
            Vector("", "", 0.0),
            Vector("…", "yes", 0.0, why="no word"),
            Vector("a b c", "a b d", 2 / 3, True, {"threshold": 0.6}, why="2 × 2 / 6"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
}
