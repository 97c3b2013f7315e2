"""Retention settings of the project."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.upkeep import retention

from ..routes import route
from ..serializers.retention import RetentionChangeSerializer, RetentionQuery, RetentionSerializer
from .base import ADMIN, READ, View


@route("projects/current/retention/", "project-retention")
class ProjectRetention(View):
    """When runs and datasets of the key's project are deleted by their age."""

    serializer_class = RetentionSerializer
    query = RetentionQuery
    needs = {"GET": READ, "PATCH": ADMIN}

    def get(self, request: Request) -> Response:
        """The settings, and the objects that they delete now. Days in the query are previewed instead of the stored
        days."""
        return Response(self.get_serializer(retention.plan(self.project, self.params)).data)

    @extend_schema(request=RetentionChangeSerializer)
    def patch(self, request: Request) -> Response:
        """Set the days after which runs or datasets are deleted. Null turns a rule off; omitted settings stay."""
        retention.change(self.project, self.checked(RetentionChangeSerializer))
        return self.get(request)
