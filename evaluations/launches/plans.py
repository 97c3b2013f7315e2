"""The plan of a launch (variants, number of examples, budget), and its validation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluations import numerals
from evaluations.datasets import live_positions, splits
from evaluations.errors import Invalid
from evaluations.models import Connection, Dataset, Project, PromptVersion, Split
from evaluations.prompts import content as contents
from evaluations.prompts import ledger, prices, rendering
from evaluations.prompts.content import Content

MOST_RUNS = 50
PILOT = 20  # examples of a pilot


@dataclass(frozen=True)
class Variant:
    """A prompt version with a name, and a model and parameters of its own, if given."""

    version: PromptVersion
    name: str = ""
    model: str = ""
    parameters: dict[str, Any] | None = None

    @property
    def content(self) -> Content:
        content = Content.from_version(self.version)
        parameters = content.parameters | (self.parameters or {})
        return replace(content, model=self.model or content.model, parameters=parameters)

    @property
    def label(self) -> str:
        """Its name; without one the prompt, shortened so that version and model still tell variants apart."""
        settings = f" v{self.version.number}{f' {self.model}' if self.model else ''}"[:150]
        return self.name.strip() or self.version.prompt.name[: 200 - len(settings)] + settings

    def about(self) -> dict[str, Any]:
        content = self.content
        return {
            "prompt": self.version.prompt_id,
            "prompt_version": self.version.number,
            "model": content.model,
            "parameters": content.parameters,
        }


@dataclass(frozen=True)
class Plan:
    """Settings of a launch besides its variants. `budget` is in millionths of millionths of the currency.

    `baseline` is the name of the variant that the others are compared with, "" for the proposed one. With `for_gate`,
    its runs are no variants of the experiment.
    With a `size` of None all examples are asked, or those of a `split`. With a `margin` (the smallest difference that
    matters), variants stop early. A `pilot` asks the first few examples, and waits to be continued.
    """

    repetitions: int = 1
    budget: int | None = None
    max_calls: int | None = None
    size: int | None = None
    seed: int | None = None
    tolerated: float = 0.05
    cache: bool = True
    pilot: bool = False
    margin: float | None = None
    split: Split | None = None
    baseline: str = ""
    for_gate: bool = False

    @property
    def names_money(self) -> bool:
        return self.budget is not None or self.max_calls is not None


def check(project: Project, dataset: Dataset, variants: Sequence[Variant], plan: Plan) -> list[Connection]:
    """The connection of each variant; raises `Invalid` naming a variant that cannot be sent."""
    if not variants or len(variants) * plan.repetitions > MOST_RUNS:
        raise invalid("variants", f"A launch must have 1 to {MOST_RUNS} runs: variants times repetitions.")
    if len({variant.label for variant in variants}) < len(variants):
        raise invalid("variants", "Every variant of a launch needs its own name.")
    connections = [
        _checked(project, dataset, variant, f"variants/{number}") for number, variant in enumerate(variants)
    ]
    if plan.budget is not None or project.monthly_limit is not None:
        limit = ledger.THE_MONTH if plan.budget is None else ledger.A_BUDGET
        if lacking := what_lacks(variants, connections):
            raise _not_limitable(lacking, limit, has_month=project.monthly_limit is not None)
    return connections


@dataclass(frozen=True)
class Lacking:
    """What the cost of variants cannot be limited without: answers that end, and prices, by connection and model.

    `of_all` variants; `unpriced` has the places of those without a price.
    """

    lengths: list[str]
    models: dict[Connection, list[str]]
    unpriced: list[int]
    of_all: int

    @property
    def prices(self) -> list[tuple[Connection, str]]:
        """Each connection, with its models in words."""
        return [(connection, _listed(models)) for connection, models in self.models.items()]


def what_lacks(variants: Sequence[Variant], connections: Sequence[Connection]) -> Lacking | None:
    """Everything at once, so that nobody mends one thing after another; None if nothing lacks."""
    lengths, unpriced = [], []
    models: dict[Connection, list[str]] = {}
    for number, (variant, connection) in enumerate(zip(variants, connections, strict=True)):
        content = variant.content
        if ledger.longest_answer(content.parameters) is None:
            lengths.append(variant.label)
        if prices.rates(connection, content.model, prices.today()) is None:
            unpriced.append(number)
            of_one = models.setdefault(connection, [])
            of_one += [content.model] if content.model not in of_one else []
    return Lacking(lengths, models, unpriced, len(variants)) if lengths or unpriced else None


def _not_limitable(lacking: Lacking, limit: str, *, has_month: bool) -> Invalid:
    fields: dict[str, list[str]] = {}
    said = []
    if lacking.lengths:
        which = f" {_listed(lacking.lengths)} {_have(lacking.lengths)} none." if lacking.of_all > 1 else ""
        said.append(f"{limit} {ledger.NEEDS_LENGTH}{which}")
        fields["parameters/max_completion_tokens"] = [said[0]]
    for connection, models in lacking.models.items():
        whose = "its cost" if len(models) == 1 else "their cost"
        said.append(f"{connection.name} has no price for {_listed(models)}, so {whose} cannot be limited.")
    fields |= {f"variants/{number}": said[bool(lacking.lengths) :] for number in lacking.unpriced}
    hint = "Add prices." if has_month else "Add prices, or send max_calls."
    code = "max_tokens_required" if lacking.lengths else "price_required"
    return Invalid(code, " ".join(said), fields=fields, hint=hint if lacking.models else "")


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _checked(project: Project, dataset: Dataset, variant: Variant, path: str) -> Connection:
    content = contents.check(variant.content)
    connection = connection_of(project, variant)
    if connection is None:
        raise invalid(path, f"{variant.version} has no connection, and the project has no default.")
    if not content.model:
        raise invalid(path, f"{variant.version} has no model; choose one here.")
    rendering.paths_of(content.messages, dataset.columns, dataset.name)
    return connection


def size_of(plan: Plan, dataset: Dataset, version: int) -> int:
    """The number of examples to ask; raises `Invalid` if the version, or the split, has fewer."""
    if plan.split is not None and plan.split.dataset_id != dataset.pk:
        raise invalid("split", f"{plan.split.name} is a split of another dataset.")
    positions = (
        splits.frozen(plan.split, version) if plan.split else live_positions.of_version(dataset, version)
    )
    every = len(positions)
    if plan.size is not None and plan.size > every:
        whole = "split" if plan.split else "dataset"
        raise invalid("sample/size", f"The {whole} has {numerals.plural(every, 'example')}.")
    return every if plan.size is None else plan.size


def connection_of(project: Project, variant: Variant) -> Connection | None:
    """The connection of the prompt version, else the project's default."""
    return variant.version.connection or project.default_connection


def check_price(
    connection: Connection, model: str, parameters: dict[str, Any], path: str, limit: str = ledger.A_BUDGET
) -> None:
    """Raise `Invalid` unless the cost of calls can be limited."""
    ledger.require_length_limit(parameters, limit)
    if prices.rates(connection, model, prices.today()) is None:
        message = f"{connection.name} has no price for {model}, so its cost cannot be limited."
        raise Invalid("price_required", message, fields={path: [message]}, hint="Add one, or send max_calls.")


def invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_launch", message, fields={field: [message]})
