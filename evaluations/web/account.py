"""One's own account: password, theme, API keys."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import api_keys, passwords
from evaluations.models import ApiKey, Project

from .forms.account import KeyForm


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    return page(request)


@never_cache
@sensitive_post_parameters()
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """Change the password; who came by a link and has none yet needs no old one. Other sessions end."""
    form = password_form(request)
    if not form.is_valid():
        return page(request, password_form=form, status=400)
    passwords.change_password(request.user, form.cleaned_data["new_password1"])
    update_session_auth_hash(request, request.user)
    messages.success(request, "Password changed. Your other sessions have ended.")
    return redirect("account")


@never_cache
@require_POST
def key_create(request: HttpRequest) -> HttpResponse:
    """Make a key and show its text, this one time."""
    form = key_form(request)
    if not form.is_valid():
        return page(request, key_form=form, status=form.status)
    chosen = form.cleaned_data
    made = api_keys.create_key(
        chosen["project"], request.user, chosen["name"], chosen["scope"], form.lifetime
    )
    return page(request, made=made, key_form=key_form(request, empty=True), status=201)


@require_POST
def key_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    api_keys.revoke_key(get_object_or_404(ApiKey, owner=request.user, pk=pk))
    messages.success(request, "Key revoked. Programs that use it are refused.")
    return redirect("account")


def page(request: HttpRequest, status: int = 200, **context: object) -> HttpResponse:
    forms = {"password_form": password_form(request, empty=True), "key_form": key_form(request, empty=True)}
    mine = Project.objects.visible_to(request.user).filter(slug=request.session.get("project")).first()
    keys = api_keys.keys_of(request.user)
    shown = forms | {"keys": keys, "project": mine} | context
    return render(request, "evaluations/account.html", shown, status=status)


def password_form(request: HttpRequest, *, empty: bool = False) -> SetPasswordForm:
    kind = PasswordChangeForm if request.user.has_usable_password() else SetPasswordForm
    return kind(request.user, None if empty else request.POST)


def key_form(request: HttpRequest, *, empty: bool = False) -> KeyForm:
    visible = Project.objects.visible_to(request.user).order_by("name")
    return KeyForm(None if empty else request.POST, projects=visible)


urlpatterns = [
    path("account/", account, name="account"),
    path("account/password/", password, name="account-password"),
    path("account/keys/", key_create, name="key-create"),
    path("account/keys/<int:pk>/revoke/", key_revoke, name="key-revoke"),
]
