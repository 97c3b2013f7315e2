"""The audit log of a project: the list, and a CSV file."""

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from evaluations.access import audit_log
from evaluations.models import AuditEntry

from ..routes import route
from ..serializers.audit import AuditEntrySerializer, AuditFilters, AuditQuery
from .base import ADMIN, Listing, View
from .results import AnyAccept


class AuditView(View):
    needs = {"GET": ADMIN}

    def get_queryset(self) -> QuerySet[AuditEntry]:
        return audit_log.matching(AuditEntry.objects.filter(project=self.project), self.params)


@route("audit/", "audit-list")
class AuditList(AuditView, Listing):
    """Who did what to which object in the project, and when."""

    serializer_class = AuditEntrySerializer
    query = AuditQuery


@route("audit/export/", "audit-export")
class AuditExport(AuditView):
    content_negotiation_class = AnyAccept
    query = AuditFilters

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.BINARY})
    def get(self, request: Request) -> StreamingHttpResponse:
        """The entries as CSV, oldest first; safe to open in a spreadsheet."""
        headers = {"Content-Disposition": 'attachment; filename="audit.csv"', "X-Accel-Buffering": "no"}
        lines = audit_log.lines(self.get_queryset())
        return StreamingHttpResponse(lines, content_type="text/csv", headers=headers)
