"""Invitations to the project."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import invitations
from evaluations.access.addresses import public_address
from evaluations.errors import Forbidden

from ..idempotency import once_with_secret
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY
from ..serializers.page import PageQuery
from ..serializers.project import InvitationSerializer, InvitedSerializer, NewInvitationSerializer
from .base import ADMIN, Noun, deletes


@extend_schema_view(retrieve=extend_schema(description="One invitation."))
@noun("invitations", "invitation")
class Invitations(Noun):
    """Invitations that can still be accepted."""

    serializer_class = InvitationSerializer
    list_query = PageQuery
    needs = {"GET": ADMIN, "POST": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet[Any]:
        return invitations.pending(self.project).select_related("created_by", "project")

    @extend_schema(
        request=NewInvitationSerializer, responses={201: InvitedSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def create(self, request: Request) -> Response:
        """Invite a person in the name of the key's owner. The link is shown once and not stored."""
        return once_with_secret(request, "link", partial(self._create, self.checked(NewInvitationSerializer)))

    def _create(self, body: dict[str, Any]) -> tuple[Response, str]:
        if self.person is None:
            raise Forbidden(
                "forbidden",
                "Only a person can invite, and this key has no owner.",
                hint="Use a key that a person owns.",
            )
        invitation, token = invitations.create(self.project, self.person, **body)
        link = public_address(self.request, reverse("invitation-accept", args=[token]))
        return Response(self.get_serializer(invitation).data, 201), link

    destroy = deletes(
        invitations.withdraw, "Withdraw the invitation. Its link stops working.", creators_only=False
    )
