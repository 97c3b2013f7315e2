"""Accounts for calls for embeddings: each is entered into the ledger before it is made."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.clients import ServiceError
from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Connection, Spending
from evaluations.prompts import ledger, prices
from evaluations.prompts.prices import Rates
from evaluations.values import stored_json


def rates(connection: Connection, model: str) -> Rates | None:
    """The price of the model today, else the connection's price for all embeddings; None if neither is known."""
    if price_rates := prices.rates(connection, model, prices.today()):
        return price_rates
    if connection.price_per_million is None:
        return None
    per_token = int(connection.price_per_million * 1_000_000)
    return Rates(per_token, per_token, 0)


@dataclass(frozen=True)
class Meter:
    """Charges the calls of a connection to the `budget` that was named for them, and to the month of its project.

    What is set aside in that budget for those who read answers is there for these calls.
    """

    connection: Connection
    model: str
    budget: Budget | None = None

    def reserve(self, texts: Sequence[str]) -> Spending:
        """Reserve the worst case, one token per byte; raises `ServiceError` if a budget has no room.

        It also raises `ServiceError` if there is a limit, but no price.
        """
        price = rates(self.connection, self.model)
        maximum = Tokens(len(stored_json(list(texts)).encode()), 0)
        try:
            call = ledger.Call(self.connection, self.model, price, maximum, use_aside=True)
            return ledger.reserve(call, self.budget)
        except ledger.NotReserved as refusal:
            raise ServiceError(refusal.message, permanent=True, code=refusal.code) from None

    def settle(self, spending: Spending, tokens: int | None) -> None:
        ledger.settle(spending, None if tokens is None else Tokens(tokens, 0))
