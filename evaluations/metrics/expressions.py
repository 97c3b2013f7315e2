"""Arithmetic over named columns of scores: read by a small grammar of its own, never run as code.

    0.7 * exact + 0.3 * min(rouge, 0.5)        if(valid == 1 and length <= 500, rouge, 0)

There are + − × ÷, comparisons, and / or / not, `min`, `max` and `if(condition, then, otherwise)`. A truth value is 1 or
0, and every number but 0 is true. What is missing stays missing: an operation without one of its numbers has none, but
`if` needs only the branch that its condition chooses.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluations.values import Status

LONGEST = 200  # characters
DEEPEST = 30  # brackets inside each other
Values: TypeAlias = NDArray[np.float64]
Range: TypeAlias = tuple[float, float]

SIGNS = {
    "×": "*",
    "·": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "=": "==",
    **{sign: sign for sign in ("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "(", ")", ",")},
}
SHOWN = {"*": "×", "/": "÷", "-": "−", "<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
BINDS = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6}
NOT, MINUS = 3, 7  # how strongly the signs before a number bind
FEWEST = {"min": 2, "max": 2, "if": 3}
WORDS = frozenset({"and", "or", "not", *FEWEST})

# The status of a result is that of the operand that comes first here: what no answer could change, then what is the
# answer's fault, then what went wrong.
ORDER = (
    Status.SCORED,
    Status.NOT_FOUND,
    Status.NOT_SENT,
    Status.ERROR,
    Status.UNMAPPED,
    Status.MISSING_ACTUAL,
    Status.MISSING_EXPECTED,
    Status.ABSENT,
)
RANKS = np.zeros(256, np.uint8)
RANKS[list(ORDER)] = range(len(ORDER))


class Wrong(ValueError):
    """The text is no expression; the message names the place."""


class Numbers(NamedTuple):
    """A column: `values` (NaN where there is none) and `status`, one slot per row."""

    values: Values
    status: NDArray[np.uint8]


class Token(NamedTuple):
    """A number, a name, a word or a sign; `at` is its first character, counted from 1."""

    text: str
    at: int
    value: float | None = None


@dataclass(frozen=True)
class Node:
    """`operator` is a key of `OPERATIONS`, or "number" or "name"."""

    operator: str
    parts: tuple["Node", ...] = ()
    value: float = 0.0
    name: str = ""


@dataclass(frozen=True)
class Expression:
    """A text that was read: its tree, its tokens, and the names that it uses, in order."""

    root: Node
    tokens: tuple[Token, ...]
    names: tuple[str, ...]

    def compute(self, columns: Mapping[str, Numbers], size: int) -> Numbers:
        """The result for each of `size` rows; a division by zero, or a number beyond all bounds, is an ERROR."""
        with np.errstate(all="ignore"):
            values, status = _compute(self.root, columns, size)
        known = (status == Status.SCORED) | (status == Status.NOT_FOUND)
        broken = (status == Status.SCORED) & ~np.isfinite(values)
        values = np.where(known & np.isfinite(values), values, np.nan)
        return Numbers(values, np.where(broken, np.uint8(Status.ERROR), status))

    def range(self, ranges: Mapping[str, Range]) -> Range:
        """Bounds of the result from those of its names: never too narrow, perhaps too wide."""
        return _range(self.root, ranges)

    def written(self, values: Mapping[str, float | None]) -> str:
        """The expression with numbers in place of names, as "0.7 × 1 + 0.3 × 0.5"."""
        texts = [_shown(token, values) for token in self.tokens]
        return "".join(_spaced(texts, [token.text for token in self.tokens]))


def read(text: str) -> Expression:
    """The expression; raises `Wrong` with the place of the first mistake."""
    if len(text) > LONGEST:
        raise Wrong(f"An expression has at most {LONGEST} characters.")
    tokens = _tokens(text)
    if not tokens:
        raise Wrong("Write an expression, such as 0.7 * exact + 0.3 * rouge.")
    root = _Reader(tokens, len(text) + 1).whole()
    names = (token.text for token in tokens if token.value is None and is_name(token.text))
    return Expression(root, tuple(tokens), tuple(dict.fromkeys(names)))


def number(value: float) -> str:
    """A number with at most four decimals, and a real minus sign."""
    return f"{round(value, 4):.10g}".replace("-", "−")


# ---- reading -------------------------------------------------------------------------------------------------


def is_name(text: str) -> bool:
    """Whether an expression can name a column so."""
    return text.isidentifier() and text not in WORDS


def _tokens(text: str) -> list[Token]:
    tokens, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _number(text, at) or _word(text, at) or _sign(text, at)
        tokens.append(token._replace(text=SIGNS.get(token.text, token.text), at=at + 1))
        at += len(token.text)
    return tokens


def _number(text: str, at: int) -> Token | None:
    end = at
    while end < len(text) and (text[end] in "0123456789." or _is_exponent(text, at, end)):
        end += 1
    if end == at:
        return None
    written = text[at:end]
    try:
        value = float(written)
    except ValueError:
        raise Wrong(f"Character {at + 1}: “{written}” is no number.") from None
    if not math.isfinite(value):
        raise Wrong(f"Character {at + 1}: “{written}” is too large.")
    return Token(written, at, value)


def _is_exponent(text: str, start: int, at: int) -> bool:
    """Whether this character belongs to an exponent, as in 1e-3."""
    if at == start or text[start] not in "0123456789.":
        return False
    if text[at] in "eE":
        return text[at + 1 : at + 2].isdigit() or text[at + 1 : at + 2] in ("+", "-")
    return text[at] in "+-" and text[at - 1] in "eE"


def _word(text: str, at: int) -> Token | None:
    end = at
    while end < len(text) and text[at : end + 1].isidentifier():
        end += 1
    return Token(text[at:end], at) if end > at else None


def _sign(text: str, at: int) -> Token:
    sign = next((sign for sign in (text[at : at + 2], text[at]) if sign in SIGNS), None)
    if sign is None:
        raise Wrong(f"Character {at + 1}: “{text[at]}” has no meaning here.")
    return Token(sign, at)


class _Reader:
    """Reads tokens by the strength with which signs bind."""

    def __init__(self, tokens: Sequence[Token], end: int) -> None:
        self.tokens, self.end = tokens, end
        self.index = self.depth = 0

    def whole(self) -> Node:
        root = self._above(0)
        if token := self._next():
            raise Wrong(f"Character {token.at}: an operator is missing before “{token.text}”.")
        return root

    def _next(self) -> Token | None:
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def _take(self, text: str, otherwise: str) -> None:
        token = self._next()
        if token is None or token.text != text or token.value is not None:
            raise Wrong(f"Character {token.at if token else self.end}: {otherwise}")
        self.index += 1

    def _above(self, strength: int) -> Node:
        """What follows, up to an operator that binds no stronger than this."""
        left = self._first()
        while (token := self._next()) and token.value is None and BINDS.get(token.text, 0) > strength:
            self.index += 1
            left = Node(token.text, (left, self._above(BINDS[token.text])))
            self._refuse_chain(token)
        return left

    def _refuse_chain(self, before: Token) -> None:
        token = self._next()
        if token and before.text in COMPARISONS and token.text in COMPARISONS:
            raise Wrong(f"Character {token.at}: compare two numbers at a time, and join them by “and”.")

    def _first(self) -> Node:
        token = self._next()
        if token is None:
            raise Wrong(f"Character {self.end}: a number or a name is missing.")
        self.index += 1
        if token.value is not None:
            return Node("number", value=token.value)
        if token.text in ("-", "not"):
            return self._nested(token, lambda: Node(f"{token.text}1", (self._above(PREFIXES[token.text]),)))
        if token.text == "(":
            return self._nested(token, self._bracket)
        if token.text in FEWEST:
            return self._nested(token, lambda: self._call(token))
        if is_name(token.text):
            return Node("name", name=token.text)
        raise Wrong(f"Character {token.at}: a number or a name is missing before “{token.text}”.")

    def _nested(self, token: Token, inner: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Wrong(f"Character {token.at}: more than {DEEPEST} brackets inside each other.")
        node = inner()
        self.depth -= 1
        return node

    def _bracket(self) -> Node:
        node = self._above(0)
        self._take(")", "a closing bracket is missing.")
        return node

    def _call(self, token: Token) -> Node:
        self._take("(", f"“{token.text}” needs brackets: {token.text}(…).")
        parts = [self._above(0)]
        while (after := self._next()) and after.text == ",":
            self.index += 1
            parts.append(self._above(0))
        self._take(")", "a comma or a closing bracket is missing.")
        fewest = FEWEST[token.text]
        if len(parts) < fewest or (token.text == "if" and len(parts) > fewest):
            wanted = "a condition, a value, and another value" if token.text == "if" else "two values or more"
            raise Wrong(f"Character {token.at}: “{token.text}” needs {wanted}.")
        return Node(token.text, tuple(parts))


PREFIXES = {"-": MINUS, "not": NOT}


# ---- computing -----------------------------------------------------------------------------------------------


def _compute(node: Node, columns: Mapping[str, Numbers], size: int) -> Numbers:
    if node.operator == "number":
        return Numbers(np.full(size, node.value), np.zeros(size, np.uint8))
    if node.operator == "name":
        return columns[node.name]
    parts = [_compute(part, columns, size) for part in node.parts]
    if node.operator == "if":
        return _chosen(*parts)
    status = parts[0].status
    for part in parts[1:]:
        status = _first_of(status, part.status)
    values = OPERATIONS[node.operator](*(part.values for part in parts))
    if node.operator == "/":
        divided = (parts[1].values == 0) & np.isin(status, (Status.SCORED, Status.NOT_FOUND))
        status = np.where(divided, np.uint8(Status.ERROR), status)
    missing = np.any([np.isnan(part.values) for part in parts], axis=0)
    return Numbers(np.where(missing, np.nan, values), status)


def _chosen(condition: Numbers, then: Numbers, otherwise: Numbers) -> Numbers:
    is_true = condition.values != 0
    values = np.where(is_true, then.values, otherwise.values)
    status = _first_of(condition.status, np.where(is_true, then.status, otherwise.status))
    return Numbers(np.where(np.isnan(condition.values), np.nan, values), status)


def _first_of(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.where(RANKS[a] >= RANKS[b], a, b)


def _reduced(function: np.ufunc) -> Callable[..., Values]:
    return lambda *parts: np.asarray(function.reduce(parts), np.float64)


def _truth(function: Callable[..., Any]) -> Callable[..., Values]:
    return lambda *parts: np.asarray(function(*parts), np.float64)


OPERATIONS: dict[str, Callable[..., Values]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "-1": np.negative,
    "min": _reduced(np.minimum),
    "max": _reduced(np.maximum),
    "<": _truth(np.less),
    ">": _truth(np.greater),
    "<=": _truth(np.less_equal),
    ">=": _truth(np.greater_equal),
    "==": _truth(np.equal),
    "!=": _truth(np.not_equal),
    "and": _truth(lambda a, b: (a != 0) & (b != 0)),
    "or": _truth(lambda a, b: (a != 0) | (b != 0)),
    "not1": _truth(lambda a: a == 0),
}


# ---- bounds --------------------------------------------------------------------------------------------------


EVERYTHING: Range = (-math.inf, math.inf)


def _range(node: Node, ranges: Mapping[str, Range]) -> Range:
    if node.operator == "number":
        return node.value, node.value
    if node.operator == "name":
        return ranges.get(node.name, EVERYTHING)
    parts = [_range(part, ranges) for part in node.parts]
    if node.operator == "if":
        return min(low for low, _ in parts[1:]), max(high for _, high in parts[1:])
    return RANGES.get(node.operator, _zero_or_one)(*parts)


def _zero_or_one(*parts: Range) -> Range:
    return 0.0, 1.0


def _product(a: Range, b: Range) -> Range:
    # an end without bound times zero is zero: the other factor is zero whatever this one is
    corners = [0.0 if 0.0 in (x, y) else x * y for x in a for y in b]
    return min(corners), max(corners)


def _quotient(a: Range, b: Range) -> Range:
    if b[0] <= 0 <= b[1]:
        return EVERYTHING
    return _product(a, (1 / b[1], 1 / b[0]))


RANGES: dict[str, Callable[..., Range]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _product,
    "/": _quotient,
    "-1": lambda a: (-a[1], -a[0]),
    "min": lambda *parts: (min(low for low, _ in parts), min(high for _, high in parts)),
    "max": lambda *parts: (max(low for low, _ in parts), max(high for _, high in parts)),
}


# ---- writing -------------------------------------------------------------------------------------------------


def _shown(token: Token, values: Mapping[str, float | None]) -> str:
    if token.value is None and is_name(token.text):
        value = values.get(token.text)
        return "missing" if value is None else number(value)
    return SHOWN.get(token.text, token.text)


def _spaced(shown: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The texts with blanks between them, but not inside brackets, before commas and after a sign."""
    spaced: list[str] = []
    for index, text in enumerate(shown):
        before = texts[index - 1] if index else "("
        is_sign = before == "-" and (
            index == 1 or texts[index - 2] in BINDS or texts[index - 2] in ("(", ",")
        )
        is_tight = before == "(" or texts[index] in (")", ",") or (texts[index] == "(" and before in FEWEST)
        spaced += ["" if is_tight or is_sign else " ", text]
    return spaced
