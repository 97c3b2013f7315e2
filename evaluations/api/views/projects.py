"""The project of the key, and its members."""

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import members, projects
from evaluations.deployments import labels
from evaluations.models import Membership
from evaluations.prompts import ledger, money, prices
from evaluations.reports import sharing
from evaluations.undo import UNDO

from ..routes import noun, route
from ..serializers.page import PageQuery
from ..serializers.project import (
    MemberSerializer,
    ProjectChangeSerializer,
    ProjectSerializer,
    RoleSerializer,
)
from .base import ADMIN, READ, Noun, View, deletes


@route("projects/current/", "project-detail")
class CurrentProject(View):
    """The project of the key."""

    serializer_class = ProjectSerializer
    needs = {"GET": READ, "PATCH": ADMIN, "DELETE": ADMIN}

    def get(self, request: Request) -> Response:
        return Response(self.get_serializer(self.key).data)

    @extend_schema(request=ProjectChangeSerializer)
    def patch(self, request: Request) -> Response:
        """Rename the project, or set its currency, the monthly limit of paid calls, the protected labels, or whether
        links need no account. The slug stays."""
        body = self.checked(ProjectChangeSerializer)
        with transaction.atomic():
            if "currency" in body:
                prices.set_currency(self.project, body["currency"])
            if "monthly_limit" in body:
                ledger.limit_months(self.project, _limit(body["monthly_limit"]))
            if "protected_labels" in body:
                labels.protect(self.project, body["protected_labels"])
            if "share_links" in body:
                sharing.allow(self.project, body["share_links"])
            if "name" in body:
                projects.rename(self.project, body["name"])
        return self.get(request)

    @extend_schema(
        responses={204: None},
        description="Delete the project with everything in it and revoke its keys. "
        f"An administrator can restore it on the pages for {UNDO.days} days.",
    )
    def delete(self, request: Request) -> Response:
        projects.delete(self.project, self.project.name)
        return Response(status=204)


def _limit(text: str | None) -> int | None:
    return None if text is None else money.cost(text, "monthly_limit")


@extend_schema_view(retrieve=extend_schema(description="One member."))
@noun("members", "member")
class Members(Noun):
    """The members of the project. People join by invitations."""

    serializer_class = MemberSerializer
    list_query = PageQuery
    needs = {"GET": READ, "PATCH": ADMIN, "DELETE": ADMIN}

    def get_queryset(self) -> QuerySet[Membership]:
        return Membership.objects.filter(project=self.project).select_related("user", "project")

    @extend_schema(request=RoleSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the role; 409 for the last administrator."""
        member, body = self.get_object(), self.checked(RoleSerializer)
        return self.item(members.change(member, body["role"]))

    destroy = deletes(
        members.remove,
        "Remove the member and revoke their keys; 409 for the last administrator.",
        creators_only=False,
    )
