"""Contracts of the kinds that score 0 or 1; the references use Python's `re` and fractions."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, cased
from evaluations.kinds.contracts.numbers import numeric_match


def exact_match(
    actual: str,
    expected: str,
    case_sensitive: bool = True,
    strip: str = "both",
    threshold: float = 0.5,
    unicode: str | None = None,
    casefold: bool = False,
    whitespace: str | None = None,
    punctuation: str | None = None,
) -> Judgement:
    a, b = cased((actual, expected), case_sensitive or casefold)
    a, b = (_in_form(side, unicode, casefold, whitespace, punctuation) for side in (a, b))
    a = a.strip() if strip == "both" else a
    b = b.strip() if strip in ("both", "expected") else b
    return Judgement.reaching(1.0 if a == b else 0.0, threshold)


def _in_form(side: str, unicode: Any, casefold: bool, whitespace: str | None, punctuation: str | None) -> str:
    for is_folded in (False, True):
        if is_folded and casefold:
            side = side.casefold()
        side = unicodedata.normalize(unicode, side) if unicode else side
    if punctuation:
        side = "".join(sign for sign in side if unicodedata.category(sign)[0] != "P")
    if whitespace == "remove":
        return re.sub(r"\s", "", side)
    # Blanks at the ends stay one blank inside a text of their own; `strip` removes them.
    return re.sub(r"\s+", " ", side).strip() if whitespace else side


def contains(
    actual: str,
    expected: str,
    case_sensitive: bool = True,
    separator: str | None = None,
    mode: str = "all",
    whole_words: bool = False,
) -> Judgement:
    needles = [part.strip() for part in (expected.split(separator) if separator else [expected])]
    needles = [needle for needle in needles if needle]
    if not needles:
        raise NoScore("missing_expected")
    sides = [cased((needle, actual), case_sensitive) for needle in needles]
    matches = [_by_itself(needle, text) if whole_words else needle in text for needle, text in sides]
    passed = False not in matches if mode == "all" else True in matches
    return Judgement(float(passed), passed)


def _by_itself(needle: str, text: str) -> bool:
    for found in re.finditer(f"(?={re.escape(needle)})", text):
        before, after = text[: found.start()], text[found.start() + len(needle) :]
        is_cut = _of_one_word(before[-1:], needle[0]) or _of_one_word(needle[-1], after[:1])
        is_cut |= needle[0].isdigit() and re.search(r"\d[.,]$", before) is not None
        is_cut |= needle[-1].isdigit() and re.match(r"[.,]\d", after) is not None
        if not is_cut:
            return True
    return False


def _of_one_word(left: str, right: str) -> bool:
    """Whether no word ends between two characters; blanks divide no words of Chinese, Japanese, Thai and the like."""
    signs = [sign for sign in (left, right) if sign]
    if len(signs) < 2 or any(
        re.match(r"CJK|HIRAGANA|KATAKANA|THAI|LAO|KHMER|MYANMAR", unicodedata.name(sign, ""))
        for sign in signs
    ):
        return False
    return all(unicodedata.category(sign)[0] in "LMN" for sign in signs)


def regex_match(
    actual: str,
    expected: str,
    source: str = "config",
    ignore_case: bool = False,
    pattern: str | None = None,
    mode: str = "search",
) -> Judgement:
    try:
        # RE2's \d, \w, \s and \b are ASCII-only, but it ignores the case of every script.
        flags = re.IGNORECASE if ignore_case else re.ASCII
        compiled = re.compile(expected if source == "expected" else pattern or "", flags)
    except re.error as error:
        raise NoScore("error") from error
    passed = (compiled.search if mode == "search" else compiled.fullmatch)(actual) is not None
    return Judgement(float(passed), passed)


def _zero(config: dict[str, Any], status: str) -> Judgement:
    """A missing side scores 0.0, which is compared with the threshold like any other value."""
    return Judgement(0.0, config.get("threshold", 0.5) <= 0, status)


def _longest() -> Iterator[Vector]:
    yield Vector("x" * 100_000, "x" * 100_000, 1.0, True, why="just not too long")


CONTRACTS = {
    "exact_match": Contract(
        reference=exact_match,
        missing=_zero,
        limits=_longest,
        formula="1.0 if both texts are equal after whitespace at their ends is removed, else 0.0; it passes "
        "if the score reaches the threshold.",
        edge_cases=(
            "If a side is null, the score is 0.0. The status is missing_expected or missing_actual; if both "
            "are null, missing_expected. This 0.0 is compared with the threshold like any other score.",
            "strip “expected” removes whitespace from the expected text only, “none” from neither.",
            "Two empty texts are equal: 1.0.",
            "The settings apply in the order Unicode form, case (then the form again), punctuation, blanks inside. "
            "Collapsed or removed blanks are removed at the ends, too.",
            "Signs such as $, + and < are symbols in Unicode, not punctuation; they always count.",
            "With a threshold of 0 everything passes, even a missing side. Levenshtein similarity differs: a "
            "missing reference fails with any threshold.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("Hello", "  Hello\n", 1.0, True),
            Vector("Pass", "PASS", 0.0, False),
            Vector("Pass", "PASS", 1.0, True, {"case_sensitive": False}),
            Vector("  Hello", "Hello", 0.0, False, {"strip": "expected"}),
            Vector("Hello", "  Hello", 1.0, True, {"strip": "expected"}),
            Vector("Hello", "Hello ", 0.0, False, {"strip": "none"}),
            Vector("", "", 1.0, True),
            Vector("a", "b", 0.0, True, {"threshold": 0.0}, why="a threshold of 0 counts"),
            Vector("a", "a", 1.0, True, {"threshold": 1.0}, why="a threshold of 1 counts"),
            Vector(5, "5", 1.0, True, why="a number as JSON text"),
            Vector("cafe\u0301", "café", 0.0, False, why="two ways to write é"),
            Vector("cafe\u0301", "café", 1.0, True, {"unicode": "NFC"}),
            Vector("x²", "x2", 0.0, False, {"unicode": "NFC"}),
            Vector("ﬁve x²", "five x2", 1.0, True, {"unicode": "NFKC"}),
            Vector("STRASSE", "Straße", 0.0, False, {"case_sensitive": False}, why="ß in lower case is ß"),
            Vector("STRASSE", "Straße", 1.0, True, {"case_sensitive": False, "casefold": True}),
            Vector("a  b\nc", "a b c", 1.0, True, {"whitespace": "collapse"}),
            Vector("a b", "ab", 0.0, False, {"whitespace": "collapse"}),
            Vector("a b", "ab", 1.0, True, {"whitespace": "remove"}),
            Vector("Yes, it is!", "Yes it is", 1.0, True, {"punctuation": "remove"}),
            Vector("$5", "5", 0.0, False, {"punctuation": "remove"}, why="$ is a symbol"),
            Vector("None", None, 0.0, False, status="missing_expected", why="the word is not a null"),
            Vector(None, "x", 0.0, False, status="missing_actual"),
            Vector(None, "x", 0.0, True, {"threshold": 0.0}, status="missing_actual", why="0 reaches 0"),
        ),
    ),
    "contains": Contract(
        reference=contains,
        formula="1.0, and passed, if the expected text, without whitespace at its ends, occurs in the actual "
        "text, else 0.0. With a separator, all or any of its parts must occur. As whole words, an occurrence "
        "does not count where a letter or digit goes on in the next character, or a number behind . or ,.",
        edge_cases=(
            NULLS,
            "A blank expected text is missing_expected, never a pass; blank parts are dropped.",
            "The separator splits the expected text as written, before case is ignored: “ OR ” does not "
            "split “Paris or London”.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("The capital is Paris.", " Paris ", 1.0, True, why="the needle is stripped"),
            Vector("The capital is Paris.", "paris", 0.0, False),
            Vector("The capital is Paris.", "paris", 1.0, True, {"case_sensitive": False}),
            Vector("red and blue", "red, green", 0.0, False, {"separator": ","}, why="green is not there"),
            Vector("red and blue", "red, green", 1.0, True, {"separator": ",", "mode": "any"}),
            Vector(
                "red and blue", "red,, blue,", 1.0, True, {"separator": ","}, why="blank parts are dropped"
            ),
            Vector(
                "It is London.",
                "Paris OR London",
                1.0,
                True,
                {"separator": " OR ", "mode": "any", "case_sensitive": False},
                why="split at OR, then compared in lower case",
            ),
            Vector("It is 17.", "7", 1.0, True),
            Vector("It is 17.", "7", 0.0, False, {"whole_words": True}),
            Vector(
                "It is 17, not 7.", "7", 1.0, True, {"whole_words": True}, why="the second one stands alone"
            ),
            Vector("1.7 or 7,500", "7", 0.0, False, {"whole_words": True}, why="both are parts of numbers"),
            Vector(
                "No, 東京です", "東京", 1.0, True, {"whole_words": True}, why="blanks divide no such words"
            ),
            Vector("anything", "  ", None, status="missing_expected"),
            Vector("", "x", 0.0, False),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "regex_match": Contract(
        reference=regex_match,
        formula="1.0, and passed, if the pattern matches the actual text, anywhere or as a whole, else 0.0.",
        edge_cases=(
            NULLS,
            "Patterns are in RE2 syntax and run in linear time: no backreferences, no lookaround.",
            "A pattern such as (a?){1000} takes seconds for a long text. If its instructions times the characters "
            "exceed 1 000 000 000, or the patterns before it took 10 seconds of a chunk of 4 000 examples, the "
            "example has an error (pattern_limit).",
            "\\d, \\w, \\s and \\b cover ASCII only, as in RE2: \\w+ matches neither é nor 猫, and \\d matches "
            "no full-width digit. Write \\p{L} for a letter and \\p{Nd} for a digit of any script.",
            "$ matches at the end of the text only, not before a last newline.",
            "A pattern that does not compile is refused when it is saved; one that comes from an expected text "
            "is an error of its row (invalid_regex).",
            "The expected value must be present even if the pattern comes from the config.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("order 4711 sent", "", 1.0, True, {"pattern": r"\d{4}"}),
            Vector("order 471 sent", "", 0.0, False, {"pattern": r"\d{4}"}),
            Vector("4711", "x", 1.0, True, {"pattern": r"\d+", "mode": "fullmatch"}),
            Vector("no 4711", "x", 0.0, False, {"pattern": r"\d+", "mode": "fullmatch"}),
            Vector("PARIS", "x", 1.0, True, {"pattern": "paris", "ignore_case": True}),
            Vector("aab", "a+b", 1.0, True, {"source": "expected"}),
            Vector("é", "x", 0.0, False, {"pattern": r"\w"}, why="\\w is ASCII"),
            Vector("a", "(", None, None, {"source": "expected"}, status="error", why="does not compile"),
            Vector("a", None, None, None, {"pattern": "a"}, status="missing_expected"),
        ),
    ),
    "numeric_match": Contract(
        reference=numeric_match,
        reads_json=True,
        formula="1.0, and passed, if the number in the actual value equals the expected number, exactly or "
        "within the tolerance, else 0.0. last_number is the last number of the text.",
        edge_cases=(
            NULLS,
            "An actual value without a number scores 0.0; an expected value without a number is an error (no_number).",
            "A minus counts before the number and before or after a currency sign: −3, -$5 and $-5 are negative, "
            "with the hyphen as with U+2212 and the en dash. After a letter or a digit a hyphen is no sign: “5-7” "
            "ends with 7, “GPT-4” with 4.",
            "Digits are grouped by threes, or by two, two and three, between equal separators: comma, point, blank, "
            "U+00A0, U+2009, U+202F, apostrophe, ’. “1,2,3” has no groups: its last number is 3.",
            "Decimals follow a point, or a comma that can mean nothing else: “3,14”, “1.234,56”. “1,250” is a "
            "thousand, “1.250” one and a quarter; the setting decimal says otherwise.",
            "“.5”, “3.0e5”, “3 × 10^5”, “10⁵”, “3/4”, “1 1/2” and “½” are numbers, and so are those that TeX spells "
            "with \\frac, {,} or \\$. “45 %” is 45, or 0.45 by the setting percent.",
            "What is no number of its own is not read: the tolerance in “5 ± 0.2”, the exponent of a unit in “5 m2” "
            "and “9.8 m/s^2”.",
            "Numbers are compared as decimals, without rounding; a relative tolerance is a fraction of the "
            "expected number. Fractions have 60 digits.",
            "A JSON number is used as it is; true and false are not numbers.",
            "last_number and whole read the decimal digits of every script: １２３ and ٣ are numbers. In your "
            "own pattern \\d is ASCII, as in RE2; write \\p{Nd} for the others.",
            "whole accepts whitespace, currency, a percent sign and a plus sign around the number.",
            "Evaluators saved with version 1 keep its formula: the last match of -?\\d[\\d,]*\\.?\\d*, without "
            "commas.",
            TOO_LONG,
        ),
        golden=(
            Vector("3 + 4 = 7 apples, 1,242 in all.", "1242.00", 1.0, True, why="the last number"),
            Vector("-5", "5", 0.0, False, why="the sign counts"),
            Vector("It fell to −3.", -3, 1.0, True, why="the true minus sign"),
            Vector("The balance is -$5.", "-5", 1.0, True),
            Vector("It takes 5-7 days", "7", 1.0, True, why="a hyphen after a digit is no sign"),
            Vector("It is called GPT-4", "4", 1.0, True, why="nor after a letter"),
            Vector("the options 1,2,3", "3", 1.0, True, why="no groups of three"),
            Vector("1,00,000 rupees", "100000", 1.0, True, why="two, two and three digits"),
            Vector("10\u202f000 people", "10000", 1.0, True),
            Vector("1’250 francs", "1250", 1.0, True),
            Vector("It is .5", "0.5", 1.0, True),
            Vector("about 3.0e5", "300000", 1.0, True),
            Vector("Add 3/4 of a cup", "0.75", 1.0, True),
            Vector("1.234,56", "1234.56", 1.0, True, why="a comma after groups by points"),
            Vector("10.000", "10000", 0.0, False),
            Vector("10.000", "10000", 1.0, True, {"decimal": "comma"}),
            Vector("45 %", "0.45", 0.0, False),
            Vector("45 %", "0.45", 1.0, True, {"percent": "fraction"}, why="45 / 100"),
            Vector("$1.2M", "1,200,000", 1.0, True, {"scale": "read"}, why="a million"),
            Vector("1250 Mio. €", "€1.25 billion", 1.0, True, {"scale": "read"}, why="both are 1250000000"),
            Vector("5 m", 5, 1.0, True, {"scale": "read"}, why="no money, so no million"),
            Vector("1.2 million", "1.2", 1.0, True, why="sizes are ignored"),
            Vector("It is 42.", 42, 1.0, True, why="trailing point; a JSON number"),
            Vector("none", "5", 0.0, False),
            Vector("5", "none", None, status="error", why="nothing to compare with"),
            Vector("about 10.4", "10", 1.0, True, {"tolerance": 0.4}, why="0.4 ≤ 0.4, exactly"),
            Vector("104", "100", 0.0, False, {"tolerance": 0.03, "relative": True}, why="4 > 3"),
            Vector("103", "100", 1.0, True, {"tolerance": 0.03, "relative": True}, why="3 ≤ 3"),
            Vector("7 of 9", "7", 0.0, False, {"extract": "whole"}, why="the text is not a number"),
            Vector("answer is 7 of 9", "answer is 7", 1.0, True, {"extract": r"answer is (\d+)"}),
            Vector("１２３", "123", 1.0, True, why="full-width digits are digits"),
            Vector("１２３", "123", 0.0, False, {"extract": r"(\d+)"}, why="\\d of a pattern is ASCII"),
            Vector(" +7 ", "7", 1.0, True, {"extract": "whole"}, why="a plus sign may stand before it"),
            Vector(True, "1", 0.0, False, why="true is not a number"),
            Vector(None, "1", None, status="missing_actual"),
        ),
    ),
}
