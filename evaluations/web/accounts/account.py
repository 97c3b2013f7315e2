"""The user's own account: password and API keys."""

from typing import TypedDict

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import api_keys, passwords
from evaluations.models import ApiKey, Project

from ..forms.account import ChangePasswordForm, KeyForm, NewPasswordForm
from ..page_tools.request import HttpRequest
from ..page_tools.shown_once import ShownOnce

PasswordForm = NewPasswordForm | ChangePasswordForm


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return page(request)


@never_cache
@sensitive_post_parameters()
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """Change the password, which ends other sessions. A user without a password needs no old one."""
    form = new_password_form(request, request.POST)
    if not form.is_valid():
        return page(request, 400, password_form=form)
    passwords.change_password(request.user, form.cleaned_data["new_password1"])
    update_session_auth_hash(request, request.user)
    messages.success(request, "Password changed. Your other sessions have ended.")
    return redirect("account")


@never_cache
@require_POST
def key_create(request: HttpRequest) -> HttpResponse:
    """Create a key and show it, this once."""
    form = new_key_form(request, request.POST)
    if not form.is_valid():
        return page(request, form.status, key_form=form)
    chosen = form.cleaned_data
    key, text = api_keys.create_key(
        chosen["project"], request.user, chosen["name"], chosen["scope"], form.lifetime
    )
    shown_once = ShownOnce(f"API key “{key.name}”", "Copy it now. It is shown only once.", text)
    return page(request, 201, shown_once=shown_once)


@require_POST
def key_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    api_keys.revoke_key(get_object_or_404(ApiKey, owner=request.user, pk=pk))
    messages.success(request, "Key revoked. It no longer works.")
    return redirect("account")


class AccountPage(TypedDict):
    keys: list[ApiKey]
    project: Project | None
    key_form: KeyForm
    password_form: PasswordForm
    shown_once: ShownOnce | None


def page(
    request: HttpRequest,
    status: int = 200,
    *,
    shown_once: ShownOnce | None = None,
    key_form: KeyForm | None = None,
    password_form: PasswordForm | None = None,
) -> HttpResponse:
    visible = Project.objects.visible_to(request.user)
    context = AccountPage(
        keys=list(api_keys.keys_of(request.user)),
        project=visible.filter(slug=request.session.get("project")).first(),
        key_form=key_form or new_key_form(request),
        password_form=password_form or new_password_form(request),
        shown_once=shown_once,
    )
    return render(request, "accounts/account.html", context, status=status)


def new_password_form(request: HttpRequest, form_data: QueryDict | None = None) -> PasswordForm:
    form = ChangePasswordForm if request.user.has_usable_password() else NewPasswordForm
    return form(request.user, form_data)


def new_key_form(request: HttpRequest, form_data: QueryDict | None = None) -> KeyForm:
    return KeyForm(form_data, projects=Project.objects.visible_to(request.user).order_by("name"))


urlpatterns = [
    path("account/", account, name="account"),
    path("account/password/", password, name="account-password"),
    path("account/keys/", key_create, name="key-create"),
    path("account/keys/<int:pk>/revoke/", key_revoke, name="key-revoke"),
]
