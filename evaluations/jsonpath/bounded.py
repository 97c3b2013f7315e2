"""RFC 9535 queries with a budget. Only this module uses internals of jsonpath-rfc9535."""

import re
import time
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

import re2
from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathNode, JSONPathQuery, function_extensions
from jsonpath_rfc9535.exceptions import JSONPathRecursionError
from jsonpath_rfc9535.filter_expressions import Expression, FilterContext, FilterExpression
from jsonpath_rfc9535.parse import Parser
from jsonpath_rfc9535.selectors import FilterSelector
from jsonpath_rfc9535.tokens import TokenStream

from evaluations.numerals import grouped
from evaluations.process_cache import remembered


@dataclass(frozen=True)
class Limits:
    """Limits on the cost of one path. `nodes` and `filters` count per document; `seconds` bounds everything else."""

    characters: int = 1_000
    steps: int = 32
    depth: int = 100
    nodes: int = 20_000
    filters: int = 5_000
    pattern_characters: int = 1_000
    searched_characters: int = 100_000
    seconds: float = 2.0


LIMITS = Limits()


class PathLimitError(Exception):
    """A valid path that is too expensive for this document; the message names the limit."""


def values(query: JSONPathQuery, document: Any, limits: Limits, deadline: float | None) -> list[Any]:
    """The values that a query selects, in the order of the RFC; raises PathLimitError at a limit."""
    until = time.monotonic() + limits.seconds
    token = _BUDGET.set(_Budget(limits, until if deadline is None else min(until, deadline)))
    try:
        return [node.value for node in query.find(document)]
    except (JSONPathRecursionError, RecursionError) as error:
        raise PathLimitError(f"the values are nested more than {limits.depth} deep") from error
    finally:
        _BUDGET.reset(token)


class _Budget:
    """The remaining budget for one document; queries within filters share it."""

    def __init__(self, limits: Limits, until: float) -> None:
        self.limits = limits
        self.nodes = limits.nodes
        self.filters = limits.filters
        self.until = until

    def visit(self) -> None:
        self.nodes -= 1
        if self.nodes < 0:
            raise PathLimitError(f"it visits more than {grouped(self.limits.nodes)} values")
        self.check_time()

    def filter(self) -> None:
        self.filters -= 1
        if self.filters < 0:
            raise PathLimitError(f"it evaluates its filters more than {grouped(self.limits.filters)} times")
        self.check_time()

    def check_time(self) -> None:
        if time.monotonic() > self.until:
            raise PathLimitError("it takes too long")


_BUDGET: ContextVar[_Budget] = ContextVar("budget")


class _Node(JSONPathNode):
    """A node that draws on the budget. It has no location, which nobody needs and which would grow with the depth."""

    __slots__ = ()

    def new_child(self, value: object, key: int | str, parent: JSONPathNode | None) -> JSONPathNode:
        _BUDGET.get().visit()
        return _Node(value=value, location=(), parent=None, root=self.root)


class _Query(JSONPathQuery):
    """A query that draws on the budget from its first node on."""

    __slots__ = ()

    def finditer(self, value: Any) -> Iterable[JSONPathNode]:
        nodes: Iterable[JSONPathNode] = [_Node(value=value, location=(), parent=None, root=value)]
        for segment in self.segments:
            nodes = segment.resolve(nodes)
        return nodes


class _Filter(FilterExpression):
    __slots__ = ()

    def evaluate(self, context: FilterContext) -> bool:
        _BUDGET.get().filter()
        return super().evaluate(context)


class _Parser(Parser):
    """The library's parser, producing our filters and queries; `env.rooted` collects queries that start at `$`."""

    env: "Environment"

    def parse_filter_selector(self, stream: TokenStream) -> FilterSelector:
        selector = super().parse_filter_selector(stream)
        selector.expression = _Filter(selector.expression.token, selector.expression.expression)
        return selector

    def parse_root_query(self, stream: TokenStream) -> Expression:
        expression = self._counted(super().parse_root_query(stream))
        self.env.rooted.append(expression.query)
        return cast(Expression, expression)

    def parse_relative_query(self, stream: TokenStream) -> Expression:
        return cast(Expression, self._counted(super().parse_relative_query(stream)))

    def _counted(self, expression: Any) -> Any:
        """The query with a budget."""
        expression.query = _Query(env=self.env, segments=expression.query.segments)
        return expression


class Environment(JSONPathEnvironment):
    """One environment per path: after `compile`, `rooted` holds every query in it that starts at `$`."""

    parser_class = _Parser

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.max_recursion_depth = limits.depth
        self.rooted: list[JSONPathQuery] = []

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        self.function_extensions["match"] = _Match()
        self.function_extensions["search"] = _Search()

    def compile(self, query: str) -> JSONPathQuery:
        self.rooted.append(_Query(env=self, segments=super().compile(query).segments))
        return self.rooted[-1]


_DOT = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)


PROGRAM_BYTES = 100_000  # of a compiled pattern with the states that RE2 keeps; at most a megabyte


@remembered("patterns in paths", 256, weigh=lambda program: PROGRAM_BYTES)
def _program(pattern: str) -> Any:
    """The pattern compiled by RE2 so that `.` does not match a carriage return, as the RFC requires."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    translated = _DOT.sub(lambda match: r"[^\n\r]" if match[0] == "." else match[0], pattern)
    return re2.compile(translated, options)


class _Match(function_extensions.Match):
    def __call__(self, string: object, pattern: object) -> bool:
        return _matches("fullmatch", string, pattern)


class _Search(function_extensions.Search):
    def __call__(self, string: object, pattern: object) -> bool:
        return _matches("search", string, pattern)


def _matches(method: str, text: object, pattern: object) -> bool:
    """Whether a text matches; False for other values and for invalid patterns, which are no errors in the RFC."""
    if not isinstance(text, str) or not isinstance(pattern, str):
        return False
    limits = _BUDGET.get().limits
    if len(pattern) > limits.pattern_characters:
        raise PathLimitError(f"a pattern has more than {grouped(limits.pattern_characters)} characters")
    if len(text) > limits.searched_characters:
        raise PathLimitError(
            f"a pattern is tried on more than {grouped(limits.searched_characters)} characters"
        )
    try:
        return getattr(_program(pattern), method)(text) is not None
    except (re2.error, UnicodeEncodeError):
        return False
