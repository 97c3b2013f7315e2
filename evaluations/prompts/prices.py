"""Prices of models by connection and day. None is built in: a price that nobody checks is soon wrong."""

from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid
from evaluations.linear import Pattern
from evaluations.models import Connection, Generation, Price, Project

# Beyond its worst case, a call counts no more than this: so any sum of a month has 63 bits.
LARGEST_COST = 2**52
CURRENCY = Pattern("[A-Z]{3}")


@dataclass(frozen=True)
class Rates:
    """The cost of one token of each type, in millionths of millionths of the currency."""

    input: int
    cached: int
    output: int


def cost(rates: Rates, tokens: Tokens) -> int:
    """The cost of a call, in millionths of millionths of the currency."""
    cached = min(tokens.cached, tokens.input)
    return (tokens.input - cached) * rates.input + cached * rates.cached + tokens.output * rates.output


def stored_cost(rates: Rates, tokens: Tokens) -> int:
    """The cost of an answer that was not reserved, such as a cached one, as far as it can be stored and summed."""
    return min(cost(rates, tokens), LARGEST_COST)


def rates(connection: Connection, model: str, day: date) -> Rates | None:
    """The price of a model on a day; None if unknown."""
    valid = connection.prices.filter(model=model, valid_from__lte=day).order_by("-valid_from").first()
    if valid is None:
        return None
    return Rates(valid.input, valid.input if valid.cached is None else valid.cached, valid.output)


def freeze(generation: Generation) -> None:
    """Keep today's price for the calls of a run that starts now."""
    server = generation.connection
    price = rates(server, generation.model, today()) if server else None
    generation.input_price = price.input if price else None
    generation.cached_price = price.cached if price else None
    generation.output_price = price.output if price else None


def frozen(generation: Generation) -> Rates | None:
    """The price that `freeze` kept; None if there was none."""
    kept = (generation.input_price, generation.cached_price, generation.output_price)
    input_price, cached_price, output_price = kept
    if input_price is None or cached_price is None or output_price is None:
        return None
    return Rates(input_price, cached_price, output_price)


def today() -> date:
    return timezone.now().date()


def set_price(
    connection: Connection, model: str, input: int, output: int, cached: int | None, valid_from: date
) -> tuple[Price, bool]:
    """Set the price of a model from a day on, replacing one of the same day; returns it, and whether it is new."""
    model = model.strip()
    if not model:
        raise Invalid("required", "A model is needed.", fields={"model": ["A model is needed."]})
    return Price.objects.update_or_create(
        connection=connection,
        model=model,
        valid_from=valid_from,
        defaults={"input": input, "output": output, "cached": cached},
    )


def remove(price: Price) -> None:
    """Delete a price; costs that were computed with it stay."""
    price.delete()


def set_currency(project: Project, currency: str) -> Project:
    """Set the currency of all amounts of a project; no amount is converted."""
    if not CURRENCY.fullmatch(currency):
        message = "A currency must have three capital letters, such as USD."
        raise Invalid("invalid", message, fields={"currency": [message]})
    project.currency = currency
    project.save(update_fields=["currency"])
    return project
