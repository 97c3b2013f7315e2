"""The maximum cost of a trial, computed before it starts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from evaluations.models import Connection, Project, Trial
from evaluations.prompts import ledger, prices, templates
from evaluations.prompts.content import Content

from . import examples
from .examples import TrialExamples
from .trials import Variant


def highest(project: Project, variants: Sequence[Variant], trial_examples: TrialExamples) -> int | None:
    """The sum of the worst cases of all calls; None if a model has no price. Raises `Invalid` like `trials.create`."""
    costs = [_of_variant(project, variant.content, trial_examples) for variant in variants]
    rated = [cost for cost in costs if cost is not None]
    return sum(rated) if len(rated) == len(costs) else None


def has_unpriced(trial: Trial) -> bool:
    """Whether a model of a trial has no price, so that nobody knows what its calls cost at most."""
    servers = Connection.objects.in_bulk({variant["connection"] for variant in trial.variants})
    asked = {(variant["connection"], variant["model"]) for variant in trial.variants}
    return any(
        pk not in servers or prices.rates(servers[pk], model, prices.today()) is None for pk, model in asked
    )


def _of_variant(project: Project, content: Content, trial_examples: TrialExamples) -> int | None:
    server = content.connection or project.default_connection
    rates = prices.rates(server, content.model, prices.today()) if server else None
    if rates is None:
        return None
    ledger.require_length_limit(content.parameters)
    worst = [ledger.most_tokens(body) for body in _bodies(content, trial_examples)]
    return sum(prices.cost(rates, tokens) for tokens in worst if tokens)


def _bodies(content: Content, trial_examples: TrialExamples) -> Iterator[dict[str, Any]]:
    """The requests; examples without a value for a variable are skipped, as they will not be asked."""
    paths = templates.paths_of(content.messages, trial_examples.columns)
    for row in trial_examples.rows:
        with suppress(templates.Missing):
            yield content.body(templates.rendered(content.messages, paths, examples.values(row)))
