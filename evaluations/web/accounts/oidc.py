"""Sign-in by OpenID Connect: allauth implements the protocol; this module decides who may sign in.

allauth's other pages are not mounted. The redirect to the provider starts at a page, not at a form, because browsers
apply the Content-Security-Policy to redirects of forms, and ours forbids other sites.
"""

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import Resolver404, path, resolve, reverse
from django.views.decorators.http import require_GET, require_POST
from requests import RequestException

from evaluations.access import audit, identities, invitations, limits
from evaluations.access.addresses import client_address, client_network
from evaluations.errors import Forbidden, Gone, Refusal

from ..forms.signin import SignInForm
from ..page_tools.request import HttpRequest
from .proving import sign_in
from .signin import ATTEMPTS


@login_not_required
@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider, which sends the person back to `callback`."""
    limits.require(f"onward {client_network(request)}", ATTEMPTS, "Too many attempts from your address.")
    if "again" in request.POST:  # to confirm a dangerous act: the provider asks even whom it still knows
        request.GET = QueryDict("auth_params=prompt%3Dlogin")
    try:
        answer = views.login(request, settings.OIDC_ID)
    except RequestException:
        return refused(request, unavailable())
    return render(request, "accounts/signin_onward.html", {"address": answer["Location"]})


@login_not_required
@require_GET
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    answer: HttpResponse = views.callback(request, provider_id)
    return answer


class Adapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # allauth has no types
    """Takes over from allauth once it has identified a person, or failed."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        raise ImmediateHttpResponse(arrived(request, sociallogin))

    def on_authentication_error(self, request: HttpRequest, provider: object, **details: object) -> None:
        raise ImmediateHttpResponse(refused(request, unavailable()))


def arrived(request: HttpRequest, external: SocialLogin) -> HttpResponse:
    """Sign in the identified person, or show why not. The account stores the provider's id of the person."""
    onward = external.state.get("next") or reverse("home")
    is_new = not external.is_existing
    try:
        user = (
            identities.welcome(identity(external), token_in(onward))
            if is_new
            else identities.allowed(external.user)
        )
    except Refusal as refusal:
        return refused(request, refusal)
    external.account.user, external.account.extra_data = user, {}
    external.account.save()
    if is_new:
        audit.record_signin("oidc-link", user, request.id, client_address(request))
    return sign_in(request, user, reverse("home") if is_used(token_in(onward)) else onward)


def identity(external: SocialLogin) -> identities.Identity:
    """The identity from the provider, with the e-mail address only if it is verified."""
    verified = [address.email for address in external.email_addresses if address.verified is True]
    return identities.Identity(verified[0] if verified else "", external.user.username)


def token_in(address: str) -> str:
    """The token of an invitation's link, "" for any other address."""
    try:
        match = resolve(address.removeprefix(settings.PATH))
    except Resolver404:
        return ""
    return match.kwargs["token"] if match.url_name == "invitation-accept" else ""


def is_used(token: str) -> bool:
    """Whether the token belongs to an accepted invitation."""
    try:
        return bool(token) and not invitations.find(token)
    except Gone:
        return True


def unavailable() -> Forbidden:
    return Forbidden(
        "oidc_failed", f"{settings.OIDC_NAME} did not sign you in.", hint="Try again, or sign in another way."
    )


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    audit.record_signin("signin-failed", None, request.id, client_address(request))
    context = {"form": SignInForm(request), "locked": f"{refusal.message} {refusal.hint}".strip()}
    return render(request, "accounts/signin.html", context, status=refusal.status)


urlpatterns = [
    path("signin/oidc/", begin, name="oidc-begin"),
    path(
        "signin/oidc/callback/", callback, {"provider_id": settings.OIDC_ID}, name="openid_connect_callback"
    ),
]
