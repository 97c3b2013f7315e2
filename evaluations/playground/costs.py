"""What a trial costs at most, before it is started."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from evaluations.models import Project
from evaluations.prompts import ledger, prices, templates
from evaluations.prompts.content import Content
from evaluations.values import stored_json

from . import examples
from .examples import TrialExamples
from .trials import Variant


def most(project: Project, variants: Sequence[Variant], chosen: TrialExamples) -> int | None:
    """The sum of the worst cases of all calls; None if a model has no price. Raises `Invalid` as `trials.create`."""
    costs = [_of_variant(project, variant.content, chosen) for variant in variants]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _of_variant(project: Project, content: Content, chosen: TrialExamples) -> int | None:
    server = content.connection or project.default_connection
    rates = prices.rates(server, content.model, prices.today()) if server else None
    if rates is None:
        return None
    requests = [stored_json(body).encode() for body in _bodies(content, chosen)]
    return sum(prices.cost(rates, ledger.most_tokens(request, content.parameters)) for request in requests)


def _bodies(content: Content, chosen: TrialExamples) -> Iterator[dict[str, Any]]:
    """The requests; none for an example without a value for a variable, which is not asked."""
    places = templates.places(content.messages, chosen.columns)
    for row in chosen.rows:
        with suppress(templates.Missing):
            yield content.body(templates.rendered(content.messages, places, examples.values(row)))
