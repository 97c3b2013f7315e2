"""Prices of the models of a connection."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.response import Response

from evaluations.models import Connection, Price
from evaluations.prompts import money, prices

from ..routes import noun, route
from ..serializers.price import NewPriceSerializer, PriceSerializer
from .base import CONNECT, READ, Listing, Single, View, deletes, find, one, takes, visible


class PriceView(View):
    serializer_class = PriceSerializer
    needs = {"GET": READ, "POST": CONNECT, "DELETE": CONNECT}

    def get_queryset(self) -> QuerySet[Price]:
        return Price.objects.filter(connection__in=visible(Connection, self.key))


@route("connections/<id:pk>/prices/", "connection-prices")
class ConnectionPrices(PriceView, Listing):
    """Prices of the models of a connection, newest first."""

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(connection=find(visible(Connection, self.key), self.kwargs["pk"]))

    @takes(NewPriceSerializer, {200: PriceSerializer, 201: PriceSerializer}, of=one(Connection))
    def post(self, connection: Connection, body: dict[str, Any]) -> Response:
        """Set the price of a model from a given day; 200 if it replaces the price of the same day."""
        price, is_new = prices.set_price(
            connection,
            body["model"],
            input=money.price(body["input"], "input"),
            output=money.price(body["output"], "output"),
            cached=None if body["cached"] is None else money.price(body["cached"], "cached"),
            valid_from=body.get("valid_from") or prices.today(),
        )
        return Response(self.get_serializer(price).data, 201 if is_new else 200)


@noun("prices", "price")
class Prices(Single, PriceView):
    """One price."""

    destroy = deletes(prices.remove, "Delete the price. Costs computed with it stay.", creators_only=False)
