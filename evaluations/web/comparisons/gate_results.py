"""The results of a gate's check as its page shows them: figures, drawings, and the examples that newly fail."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from evaluations.charts import criterion
from evaluations.evaluators.recipe import Recipe
from evaluations.gates.checks import AT_WORST
from evaluations.models import Gate, GateCheck
from evaluations.short_texts import with_short_names

from . import pair

MOST_KEYS = 5  # of new failures, which are named; all are in a list


@dataclass(frozen=True)
class ShownResult:
    """A criterion of a stored check, its title with names cut, and a drawing of its interval and limit.

    `measured` is its figure, or in short why there is none. New failures are `keys`, the first ones by name and
    address; `all_address` is the list of all, where the check is compared with the baseline.
    """

    stored: dict[str, Any]
    title: str
    plot: SafeString | None
    measured: str
    keys: list[tuple[str, str]]
    all_address: str


def shown_result(gate: Gate, check: GateCheck, result: dict[str, Any], names: list[str]) -> ShownResult:
    words = result["words"]
    if words == AT_WORST.removesuffix("."):
        words = f"tests nothing: baseline at {result.get('baseline_words') or 'the worst score'}"
    positions = list(result.get("positions") or [])[:MOST_KEYS]
    return ShownResult(
        result,
        with_short_names(result["title"], names),
        criterion(result),
        words,
        _keys(check, positions),
        _newly_wrong(gate, check, result) if positions else "",
    )


def _keys(check: GateCheck, positions: list[int]) -> list[tuple[str, str]]:
    """The names of these examples of the checked run, each with the address of its row."""
    found = check.run.experiment.dataset.examples.filter(position__in=positions, removed_in=None)
    named = {example.position: example.name for example in found.defer("inputs", "reference", "metadata")}
    page = reverse("run-detail", args=[check.run_id])
    return [(named.get(one, str(one)), f"{page}?row={one}") for one in positions]


def _newly_wrong(gate: Gate, check: GateCheck, result: dict[str, Any]) -> str:
    """The list of all examples that newly fail: of scores of 0 and 1 those that are worse than the baseline's."""
    compared, evaluator = compared_address(gate, check), (result.get("evaluator") or {}).get("id")
    of_check = check.run.scorings.filter(evaluator_version__evaluator=evaluator).order_by("-pk").first()
    if not compared or of_check is None or not Recipe.from_version(of_check.evaluator_version).is_share:
        return ""
    return f"{compared}&evaluator={evaluator}&show=worse#examples"


def compared_address(gate: Gate, check: GateCheck) -> str:
    """Where the checked run is compared with the baseline; "" if it is the baseline itself."""
    if gate.baseline is None or check.run_id == gate.baseline_id:
        return ""
    return pair.address_of(gate.baseline, check.run)
