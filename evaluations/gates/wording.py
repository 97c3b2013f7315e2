"""Criteria and their figures in words: points and per cent where the evaluator's means are per cent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q

from evaluations.evaluators.recipe import Recipe
from evaluations.models import EvaluatorVersion, Gate
from evaluations.numerals import SPACE, percent, plural
from evaluations.statistics.wording import Part, number, points

from .criteria import OF_A_MEAN, Criterion, from_stored


@dataclass(frozen=True)
class Named:
    """A criterion with the names and the unit that its words need; means of `is_share` are per cent."""

    criterion: Criterion
    evaluator: str = ""
    helper: str = ""
    currency: str = ""
    is_share: bool = False

    @property
    def title(self) -> str:
        """The condition, such as “numeric match: at most 2 points worse”."""
        condition = self._condition
        return f"{self._scored_by}: {_lower(condition)}" if self.criterion.evaluator else condition

    @property
    def clause(self) -> list[Part]:
        """The condition as the end of “A run passes if …”; its limit has the role "limit"."""
        value, rule = self.criterion.value or 0.0, self.criterion.rule
        match rule:
            case "answered":
                return [("limit", f"at least {share(value)}"), ("", " of the examples are answered")]
            case "cost" | "latency":
                amount = f"{_plain(value)} {'ms' if rule == 'latency' else self.currency}".rstrip()
                return [("", f"the mean {rule} is "), ("limit", f"at most {amount}")]
            case "examples":
                return [("limit", f"at least {plural(int(value), 'example')}"), ("", " count")]
        has = {"not_worse": "is", "better": "is", "no_new_failures": "has"}.get(rule, "has a")
        return [("evaluator", self._scored_by), ("", f" {has} "), ("limit", _lower(self._condition))]

    @property
    def _scored_by(self) -> str:
        how = f", helped by {self.helper}" if self.helper else ""
        return f"{self.evaluator}{', an unchecked judge' if self.criterion.unchecked else how}"

    @property
    def _condition(self) -> str:
        value, margin = self.criterion.value or 0.0, self.criterion.margin or 0.0
        match self.criterion.rule:
            case "not_worse":
                return f"At most {in_points(margin) if self.is_share else _plain(margin)} worse"
            case "better":
                return "Better"
            case "at_least" | "at_most":
                figure = "Mean" if self.criterion.figure == "mean" else "Pass rate"
                return f"{figure} of {self.criterion.rule.replace('_', ' ')} {self._limit}"
            case "no_new_failures":
                return f"At most {plural(int(value), 'newly failing example')}" if value else NO_NEW_FAILURES
            case "answered":
                return f"At least {share(value)} answered"
            case "cost":
                return f"Mean cost at most {_plain(value)} {self.currency}".rstrip()
            case "latency":
                return f"Mean latency at most {_plain(value)} ms"
            case "examples":
                return f"At least {plural(int(value), 'example')}"

    @property
    def _limit(self) -> str:
        value = self.criterion.value or 0.0
        return share(value) if self.is_share or self.criterion.figure == "pass_rate" else _plain(value)


NO_NEW_FAILURES = "No newly failing example"


def of_gate(gate: Gate) -> list[Named]:
    """The criteria of a gate with the names of the locked evaluators."""
    return _named(gate, _locked([gate]))


def titles(gates: Iterable[Gate]) -> dict[int, str]:
    """By gate id, its criteria in words, in one line: “Numeric match: better; at least 97 % answered”."""
    versions = _locked(gates)
    return {gate.pk: _in_a_line(_named(gate, versions)) for gate in gates}


def _in_a_line(criteria: Sequence[Named]) -> str:
    """The titles of criteria; behind the first only the name of an evaluator keeps its capital."""
    titles = [named.title if named.criterion.evaluator else _lower(named.title) for named in criteria]
    return "; ".join([criteria[0].title, *titles[1:]]) if criteria else ""


def _locked(gates: Iterable[Gate]) -> list[EvaluatorVersion]:
    """The locked versions of all evaluators of these gates."""
    locked = Q(pk=None)
    for gate in gates:
        for evaluator in gate.lock["evaluators"]:
            locked |= Q(evaluator=evaluator["id"], number=evaluator["version"])
    return list(EvaluatorVersion.objects.filter(locked).select_related("evaluator"))


def _named(gate: Gate, versions: Iterable[EvaluatorVersion]) -> list[Named]:
    numbers = {evaluator["id"]: evaluator["version"] for evaluator in gate.lock["evaluators"]}
    own = {one.evaluator_id: one for one in versions if numbers.get(one.evaluator_id) == one.number}
    return [
        Named(
            criterion,
            own[by].evaluator.name if (by := criterion.evaluator or 0) in own else "?",
            own[helper].evaluator.name if (helper := criterion.helper or 0) in own else "",
            gate.project.currency,
            by in own and Recipe.from_version(own[by]).is_per_cent,
        )
        for criterion in from_stored(gate.criteria)
    ]


def sentence(criteria: list[Named], baseline: str) -> list[Part]:
    """What a run must meet, in one sentence; `baseline` is the name of the variant that it is compared with."""
    parts: list[Part] = [("", "A run passes against "), ("name", baseline), ("", " if ")]
    for index, named in enumerate(criteria):
        link = "" if not index else " and " if index == len(criteria) - 1 else ", "
        parts += [("", link), *named.clause]
    return [*parts, ("", ".")]


def shown(criterion: Criterion, value: float | None, *, is_share: bool = False, is_mean: bool = False) -> str:
    """A figure of this criterion with its unit; `is_mean` for one that is no difference from the baseline."""
    if value is None:
        return "–"
    is_difference = criterion.rule in ("not_worse", "better") and not is_mean
    if is_share and is_difference:
        return f"{points(value)} points"
    is_rate = criterion.rule == "answered" or criterion.figure == "pass_rate"
    if is_rate or (is_share and criterion.rule in OF_A_MEAN):
        return percent(value)
    if criterion.rule in ("examples", "no_new_failures"):
        return f"{value:.0f}"
    if criterion.rule == "latency":
        return f"{number(value)}{SPACE}ms"
    return number(value, signed=is_difference)


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _plain(value: float) -> str:
    """
    >>> _plain(0.02), _plain(1200.0)
    ('0.02', '1200')
    """
    return f"{value:.12g}"


def in_points(difference: float) -> str:
    """
    >>> in_points(0.02), in_points(0.01)
    ('2 points', '1 point')
    """
    number_of = f"{difference * 100:.10g}"
    return f"{number_of} point{'' if number_of == '1' else 's'}"


def share(value: float) -> str:
    return f"{value * 100:.10g}{SPACE}%"
