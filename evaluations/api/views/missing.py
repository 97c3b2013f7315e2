"""The answer for unknown addresses."""

from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from evaluations.models import ApiKey

from ..refusals import NotFound


class Missing(APIView):
    """The answer for unknown addresses; below /api/v1/ it needs a key, like any other."""

    permission_classes = [AllowAny]
    schema = None
    http_method_names = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if request.path_info.startswith("/api/v1/") and not isinstance(request.auth, ApiKey):
            self.permission_denied(request)
        raise self._missing(request)

    def _missing(self, request: Request) -> NotFound:
        problem = NotFound()
        if not request.path.endswith("/"):
            problem.hint = "Addresses end with a slash."
        return problem
