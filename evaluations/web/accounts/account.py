"""The user's own account: password, second factors, sessions and API keys."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import api_keys, audit, passwords, second_factors, sessions
from evaluations.models import ApiKey, Project, SecondFactor
from evaluations.numerals import plural

from ..forms.account import ChangePasswordForm, KeyForm, NewPasswordForm
from ..page_tools import shown_once
from ..page_tools.request import HttpRequest
from ..page_tools.shown_once import ShownOnce
from .proving import confirmed, confirmed_if

SESSIONS = 50  # shown at most
PasswordForm = NewPasswordForm | ChangePasswordForm


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return page(request)


@require_safe
def signed_in(request: HttpRequest) -> HttpResponse:
    """Nothing; whoever is not signed in is led to the page to do so. Forms ask before they leave their page."""
    return HttpResponse(status=204)


@sensitive_post_parameters()
@require_POST
@confirmed_if(lambda request: not request.user.has_usable_password())  # else the old one is asked for
def password(request: HttpRequest) -> HttpResponse:
    """Change the password, which ends other sessions. A user without a password needs no old one."""
    form = new_password_form(request, request.POST)
    if not form.is_valid():
        return page(request, 400, password_form=form)
    passwords.change_password(request.user, form.cleaned_data["new_password1"])
    update_session_auth_hash(request, request.user)
    messages.success(request, "Password changed. Your other sessions have ended.")
    return redirect("account")


@require_POST
@confirmed
def key_create(request: HttpRequest) -> HttpResponse:
    """Create a key; the page shows it, this once."""
    form = new_key_form(request, request.POST)
    if not form.is_valid():
        return page(request, form.status, key_form=form)
    chosen = form.cleaned_data
    key, text = api_keys.create_key(
        chosen["project"], request.user, chosen["name"], chosen["scope"], form.lifetime, chosen["addresses"]
    )
    shown = ShownOnce(f"API key “{key.name}”", "Copy it now. It is shown only once.", text)
    return shown_once.lead_to(request, reverse("account"), shown)


@require_POST
def key_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    api_keys.revoke_key(get_object_or_404(ApiKey, owner=request.user, pk=pk))
    messages.success(request, "Key revoked. It no longer works.")
    return redirect("account")


@require_POST
def session_end(request: HttpRequest) -> HttpResponse:
    """End one of the person's sessions, or all but this one."""
    key = request.POST.get("session", "")
    ended = sessions.end(request.user, key) if key else sessions.end_others(request.user, request.session)
    what = plural(int(ended), "session")
    audit.note(sessions=what)
    messages.success(request, f"{what} ended.".capitalize())
    return redirect("account")


def page(
    request: HttpRequest,
    status: int = 200,
    *,
    key_form: KeyForm | None = None,
    password_form: PasswordForm | None = None,
) -> HttpResponse:
    visible = Project.objects.visible_to(request.user)
    context = {
        "keys": list(api_keys.keys_of(request.user)),
        "factors": (factors := list(second_factors.factors_of(request.user))),
        "has_app": any(factor.kind == SecondFactor.Kind.APP for factor in factors),
        "codes_left": second_factors.recovery_codes_left(request.user) if factors else 0,
        "offers_passkeys": settings.PASSKEYS,
        "sessions": list(sessions.sessions_of(request.user)[:SESSIONS]),
        "this_session": sessions.row(request.session.session_key or ""),
        "project": visible.filter(slug=request.session.get("project")).first(),
        "key_form": key_form or new_key_form(request),
        "password_form": password_form or new_password_form(request),
    }
    return shown_once.page(request, "accounts/account.html", context, status)


def new_password_form(request: HttpRequest, form_data: QueryDict | None = None) -> PasswordForm:
    form = ChangePasswordForm if request.user.has_usable_password() else NewPasswordForm
    return form(request.user, form_data)


def new_key_form(request: HttpRequest, form_data: QueryDict | None = None) -> KeyForm:
    return KeyForm(form_data, projects=Project.objects.visible_to(request.user).order_by("name"))


urlpatterns = [
    path("account/", account, name="account"),
    path("account/signed-in/", signed_in, name="signed-in"),
    path("account/password/", password, name="account-password"),
    path("account/sessions/end/", session_end, name="session-end"),
    path("account/keys/", key_create, name="key-create"),
    path("account/keys/<int:pk>/revoke/", key_revoke, name="key-revoke"),
]
