"""The page of an invitation: join with an account, or create one."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from evaluations.access import invitations
from evaluations.errors import Gone
from evaluations.models import Invitation, Role

from ..forms.signup import SignUpForm
from ..page_tools.request import HttpRequest, posted
from .proving import MODEL_BACKEND


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows the invitation; only the button accepts it."""
    try:
        pending = invitations.find(token)
        answer = _joined if request.user.is_authenticated else _signed_up
        return answer(request, token, pending)
    except Gone:
        return render(request, "accounts/invitation.html", {"days": invitations.DAYS}, status=410)


def _joined(request: HttpRequest, token: str, pending: Invitation) -> HttpResponse:
    if request.method != "POST":
        return render(request, "accounts/invitation.html", {"invitation": pending})
    invitations.accept(token, request.user)
    return _inside(pending)


def _signed_up(request: HttpRequest, token: str, pending: Invitation) -> HttpResponse:
    """Create the account of an invited person."""
    form = SignUpForm(posted(request))
    if not form.is_valid():
        context = {"invitation": pending, "form": form}
        return render(request, "accounts/invitation.html", context, status=400 if form.is_bound else 200)
    user = form.save(commit=False)
    invitations.sign_up(token, user)
    login(request, user, backend=MODEL_BACKEND)
    return _inside(pending)


def _inside(accepted: Invitation) -> HttpResponse:
    """The project; for an annotator, who does not see it, the tasks."""
    if accepted.role == Role.ANNOTATOR:
        return redirect("asked-list")
    return redirect("project-home", accepted.project.slug)


urlpatterns = [path("invite/<str:token>/", invitation, name="invitation-accept")]
