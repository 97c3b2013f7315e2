from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ..serializers.project import ProjectSerializer
from .base import View


class CurrentProject(View):
    """What the key belongs to."""

    serializer_class = ProjectSerializer

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request) -> Response:
        return Response(self.get_serializer(self.key).data)
