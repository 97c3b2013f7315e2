"""Light, dark or the system's theme, stored in a cookie so that the first paint is right; and the site's icon."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from ..page_tools.frame import way_back

YEAR = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    response = redirect(way_back(request))
    chosen = request.POST.get("theme")
    if chosen in ("light", "dark"):
        response.set_cookie(
            "theme",
            chosen,
            max_age=YEAR,
            path=settings.COOKIE_PATH,
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie("theme", path=settings.COOKIE_PATH)
    return response


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon, for pages that link nothing, such as reports: browsers ask for it by this name."""
    return redirect(static("favicon.svg"))


urlpatterns = [path("theme/", theme, name="theme"), path("favicon.ico", favicon, name="favicon")]
