"""Sign-in by password or by a link that works once; sign-out."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from evaluations.access import limits, password_line, signin_links
from evaluations.access.addresses import client_network

from ..forms.signin import SignInForm
from . import devices, wanted
from .proving import sign_in

ATTEMPTS = 30  # attempts per minute and address, for all names together
OF_ONE_NAME = 10  # of these, for one name; more than the wrong passwords that lock the name


class SignIn(LoginView):
    template_name = "accounts/signin.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    http_method_names = ("get", "head", "post", "options")

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().get(request, *args, **kwargs)
        wanted.remember(response, self.get_redirect_url())
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refuse too many attempts before checking a password, which is slow."""
        name, network = request.POST.get("username", ""), client_network(request)
        device = devices.recognised(request, name)
        if seconds := _wait(name, network, device):
            return _later(request, seconds, f"Too many attempts from your address. Wait {seconds} seconds.")
        failures = 0 if device else password_line.count_attempt(network)
        with password_line.LINE.wait(failures, is_strange=not device):
            response = super().post(request, *args, **kwargs)
        if response.status_code == HTTPStatus.FOUND and not device:
            password_line.attempt_was_right(network)
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        answer = sign_in(self.request, form.get_user(), self.get_success_url())
        wanted.forget(answer)
        return devices.remember(answer, form.get_user())


def _wait(name: str, network: str, device: str) -> int:
    """Count an attempt; returns the seconds to wait, or 0.

    Guesses at one name leave attempts for other names from the same address, and guesses at many names leave them for
    people who have signed in on their device before. Neither allows more than `ATTEMPTS` guesses without such a device.
    """
    of_name = limits.wait(f"signin {device or network} {name}", OF_ONE_NAME)
    return of_name or (0 if device else limits.wait(f"signin {network}", ATTEMPTS))


def locked(request: HttpRequest, *ignored: object) -> HttpResponse:
    """The response of Axes to too many wrong passwords for one name from one address."""
    seconds = int(settings.AXES_COOLOFF_TIME.total_seconds())
    sentence = f"Too many wrong passwords for this name. Try again in {seconds // 60} minutes, or use a sign-in link."
    return _later(request, seconds, sentence)


def _later(request: HttpRequest, seconds: int, sentence: str) -> HttpResponse:
    context = {"form": SignInForm(request), "locked": sentence}
    page = render(request, "accounts/signin.html", context, status=429)
    page["Retry-After"] = str(seconds)
    return page


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def signin_link(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button; only the button uses the link up, because mail programs open links.

    It leads to the page that was wanted when this browser was last asked to sign in.
    """
    if request.method != "POST":
        usable = signin_links.is_usable(token)
        return render(request, "accounts/signin_link.html", {"usable": usable}, status=200 if usable else 410)
    user = signin_links.use_signin_link(token)
    if user is None:
        return render(request, "accounts/signin_link.html", {"usable": False}, status=410)
    answer = sign_in(request, user, wanted.page(request))
    wanted.forget(answer)
    if not user.has_usable_password():
        notice = '<a href="{}">Set a password</a> so that you can sign in without a link.'
        messages.info(request, format_html(notice, reverse("account")))
    return answer


urlpatterns = [
    path("signin/", SignIn.as_view(), name="signin"),
    path("signin/link/<str:token>/", signin_link, name="signin-link"),
    path("signout/", LogoutView.as_view(), name="signout"),
]
