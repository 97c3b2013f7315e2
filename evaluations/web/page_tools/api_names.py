"""Addresses of pages that use the API's names of parameters: the same address in the page's own names.

Somebody pastes the query of a call to the API behind the address of a page. Without this, the page would ignore what it
does not know, and show other rows than the API.
"""

from collections.abc import Sequence
from urllib.parse import urlencode

from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, Scoring

from . import url_values
from .request import HttpRequest

Pairs = list[tuple[str, str]]
CONDITIONS = ("status", "passed", "min", "max")  # of the chosen evaluator
RENAMED = {"search": "q", "outcome": "show", "least_difference": "least"}
ORDERS = {"regressions": "drop", "improvements": "gain"}


def of_run(request: HttpRequest, scorings: Sequence[Scoring]) -> str | None:
    """The page's own address of a run; None if it has no names of the API."""
    by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in scorings}
    pairs = _with_evaluator_id(_renamed(url_values.parameters(request)), by_evaluator)
    parameters = dict(pairs)
    evaluator = by_id_or_name(by_evaluator, parameters.get("evaluator", ""))
    if "sort" in parameters:
        ordered, falls = _sorted_by(parameters["sort"], by_evaluator)
        if ordered is None and parameters["sort"] != "position":
            url_values.not_understood(request, "sort", parameters["sort"])
        pairs = [pair for pair in pairs if pair[0] != "sort" and (not ordered or pair[0] != "evaluator")]
        pairs += _order(by_evaluator[ordered] if ordered else None, falls=falls, sort=parameters["sort"])
        evaluator = evaluator or ordered
    evaluator = evaluator or next(iter(by_evaluator), None)
    if evaluator:
        pairs = [(f"{name}[{evaluator.pk}]" if name in CONDITIONS else name, value) for name, value in pairs]
    return _address(request, pairs)


def of_examples(request: HttpRequest, evaluators: Sequence[Evaluator]) -> str | None:
    """The page's own address of compared examples; None if it has no names of the API."""
    pairs = _with_evaluator_id(_renamed(url_values.parameters(request)), evaluators)
    pairs = [(name, ORDERS.get(value, value) if name == "order" else value) for name, value in pairs]
    is_only = [("only", "1")] if ("different", "true") in pairs else []
    return _address(request, [pair for pair in pairs if pair[0] != "different"] + is_only)


def of_dataset(request: HttpRequest) -> str | None:
    """The page's own address of a dataset; None if it has no names of the API."""
    return _address(request, _renamed(url_values.parameters(request)))


def _renamed(pairs: Pairs) -> Pairs:
    return [(RENAMED.get(name, name), value) for name, value in pairs]


def _with_evaluator_id(pairs: Pairs, evaluators: Sequence[Evaluator] | dict[Evaluator, Scoring]) -> Pairs:
    """The pairs with the evaluator's id in place of its name."""
    named = by_id_or_name(evaluators, dict(pairs).get("evaluator", ""))
    return [(name, str(named.pk) if named and name == "evaluator" else value) for name, value in pairs]


def _sorted_by(sort: str, evaluators: dict[Evaluator, Scoring]) -> tuple[Evaluator | None, bool]:
    """The evaluator that sorts, and whether the highest scores come first; a name may begin with a dash."""
    if named := by_id_or_name(evaluators, sort):
        return named, False
    return by_id_or_name(evaluators, sort.removeprefix("-")), True


def _order(scoring: Scoring | None, *, falls: bool, sort: str) -> Pairs:
    if scoring is None:
        return [("order", "file")] if sort == "position" else []
    minimizes = Recipe.from_version(scoring.evaluator_version).direction == "minimize"
    order = "worst" if minimizes == falls else "best"
    return [("evaluator", str(scoring.evaluator_version.evaluator_id)), ("order", order)]


def _address(request: HttpRequest, pairs: Pairs) -> str | None:
    if pairs == url_values.parameters(request):
        return None
    return f"{request.path}?{urlencode(pairs)}" if pairs else request.path
