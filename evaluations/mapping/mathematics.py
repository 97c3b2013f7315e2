r"""The answer of a solution in mathematics, in one way of writing: what is boxed, else the last formula, else all.

Written in one way are \dfrac{1}{2}, \frac12, 1/2 and 0.5; 3 \sqrt 2, 3\cdot\sqrt2 and 3\sqrt{2}; \left( 1, 2 \right)
and (1,2); 88^\circ, 88\text{ degrees} and 88, as in the rules of the MATH benchmark.
"""

from collections.abc import Iterator

from evaluations.linear import Match, Pattern
from evaluations.metrics import number_reader

LONGEST = 2_000  # characters of an answer
BOXES = ("\\boxed{", "\\fbox{")
FORMULA = Pattern(r"(?s)\$\$(.+?)\$\$|\$([^$\n]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]")
NO_SIGN = Pattern(
    r"\\(?:left|right|displaystyle|[,;:! ])|\\[dtc]?text[a-z]*\{\s*\}|\^\{?\\circ\}?|\\?%|\\\$|~"
)
WORDS = Pattern(r"\\(?:text|mathrm|mathbf|textbf|mbox)\{([^{}]*)\}")
UNIT = Pattern(r"(\d\}?)\s*\\(?:text|mathrm|mbox)\{\s*[^{}\d]*\}(?:\^\{?\d\}?)?$")  # behind a number
TIMES = Pattern(r"(\d)\s*\\(?:cdot|times)\s*([\\a-zA-Z(])")  # a sign that may be left out
FRACTION = Pattern(r"\\[dtc]frac")
ROOT = Pattern(r"\\sqrt\s+(\d+)")
SHORT = Pattern(r"\\(frac|sqrt)\s*(\{[^{}]*\}|[0-9a-zA-Z])\s*(\{[^{}]*\}|[0-9a-zA-Z])?")
EXPONENT = Pattern(r"([\^_])\{([0-9a-zA-Z])\}")  # braces that change nothing
COMMAND = Pattern(r"\\[a-zA-Z]+")
NUMBER = Pattern(r"[-−]?[\d.,{}]*\d")
BLANKS = Pattern(r"\s+")
NAMED = Pattern(r"^[a-zA-Z](?:\([a-z]\))?=")  # "x=" before the answer
SAID = Pattern(r"(?i)\banswer[\s*_]*(?:\bis\s*:?|:)[\s*_]*([^\n]+)")


def answer(text: str) -> str:
    r"""The answer in a text; "" if it has none.

    >>> [answer(text) for text in (r"So $x = \boxed{\dfrac{1}{2}}$.", r"\frac12", "1/2", "The answer is $0.5$")]
    ['0.5', '0.5', '0.5', '0.5']
    >>> [answer(text) for text in ("**Final Answer:** 20/4", "**Answer: 5**", "The answer is: **5**.")]
    ['5', '5', '5']
    >>> answer(r"\boxed{\binom{26}{4} = 14950}"), answer("$x^2+y^2=4$")
    ('14950', 'x^2+y^2=4')
    >>> [answer(f"${text}$") for text in (r"88\text{ degrees}", r"88^\circ", r"3\cdot\sqrt{10}", r"2\times 10")]
    ['88', '88', '3\\sqrt{10}', '2\\times10']
    >>> answer("$x^{2} + 3x$"), answer("$x^2+3x$")
    ('x^2+3x', 'x^2+3x')
    >>> answer(r"\left( 3\sqrt2, \frac{\pi}{2} \right)"), answer(r"$(3 \sqrt{2},\dfrac{\pi}2)$")
    ('(3\\sqrt{2},\\frac{\\pi}{2})', '(3\\sqrt{2},\\frac{\\pi}{2})')
    """
    return _written(_boxed(text) or _last_formula(text) or _said(text) or text)


def _boxed(text: str) -> str:
    """The contents of the last box whose braces are closed."""
    starts = [(text.rfind(box), box) for box in BOXES]
    start, box = max(starts)
    if start < 0:
        return ""
    inside = text[start + len(box) : start + len(box) + LONGEST]
    return next((inside[:end] for end in _ends(inside)), "")


def _ends(text: str) -> Iterator[int]:
    """Where the brace is closed that was opened before a text."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            yield place


def _last_formula(text: str) -> str:
    *_, found = [None, *FORMULA.finditer(text[-LONGEST:])]
    return next(filter(None, found.groups()), "") if found else ""


def _said(text: str) -> str:
    *_, found = [None, *SAID.finditer(text[-LONGEST:])]
    return found[1].strip(" *_.") if found else ""


def _written(text: str) -> str:
    text = NO_SIGN.sub("", text[:LONGEST].strip().strip("$").strip())
    text = TIMES.sub(r"\1\2", UNIT.sub(r"\1", text))
    text = WORDS.sub(r"\1", FRACTION.sub(r"\\frac", text))
    text = ROOT.sub(r"\\sqrt{\1}", text)
    text = BLANKS.sub("", SHORT.sub(_with_braces, text)).rstrip(".")
    text = EXPONENT.sub(r"\1\2", text)
    text = _computed(NAMED.sub("", text))
    number = number_reader.from_latex(text)
    found = number_reader.last(number)
    if found and (found.start, found.end) == (0, len(number)):
        return format(found.value.normalize(), "f")
    return text


def _computed(text: str) -> str:
    r"""The number behind the last = of a calculation without variables: 14950 of \binom{26}{4}=14950."""
    left, _, right = text.rpartition("=")
    has_variables = any(map(str.isalpha, COMMAND.sub("", left)))
    return right if left and NUMBER.fullmatch(right) and not has_variables else text


def _with_braces(found: Match[str]) -> str:
    parts = [part if part.startswith("{") else f"{{{part}}}" for part in found.groups()[1:] if part]
    if found[1] == "sqrt":
        return f"\\sqrt{parts[0]}{found[3] or ''}"
    return f"\\frac{''.join(parts)}"
