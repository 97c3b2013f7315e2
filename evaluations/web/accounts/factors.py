"""Second factors on the account page: an authenticator app, passkeys, recovery codes."""

from base64 import b64encode

import qrcode
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST
from qrcode.image.svg import SvgPathImage

from evaluations import secretbox
from evaluations.access import passkeys, second_factors
from evaluations.errors import Conflict

from ..forms.proof import AppForm, PasskeyForm
from ..page_tools import shown_once
from ..page_tools.request import HttpRequest
from ..page_tools.shown_once import ShownOnce
from .proving import CHALLENGE, confirmed

ENROLLING = "enrolling"  # the secret of an app that is being set up, encrypted, in the session


@require_http_methods(["GET", "HEAD", "POST"])
@confirmed
def factor_app(request: HttpRequest) -> HttpResponse:
    """Show the secret for an app as a QR code; its first code stores it."""
    secret = _secret(request)
    form = AppForm(request.POST if "code" in request.POST else None)
    if form.is_valid():
        if second_factors.enrol_app(request.user, secret, form.cleaned_data["code"].strip()):
            del request.session[ENROLLING]
            return _enrolled(request)
        form.add_error("code", "Wrong code. Check that the clock of the device is right.")
    address = second_factors.address(request.user, secret)
    picture = qrcode.make(address, image_factory=SvgPathImage, border=2).to_string()
    context = {
        "form": form,
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "picture": f"data:image/svg+xml;base64,{b64encode(picture).decode()}",
    }
    return render(request, "accounts/factor_app.html", context, status=400 if form.errors else 200)


def _secret(request: HttpRequest) -> str:
    """The secret that this session sets up, so that reloading the page does not change it."""
    if sealed := request.session.get(ENROLLING):
        try:
            return secretbox.unseal(request.user.pk, sealed)
        except secretbox.Unreadable:
            pass  # of another person, or of a secret key that is gone: a new one
    secret = second_factors.new_secret()
    request.session[ENROLLING] = secretbox.seal(request.user.pk, secret)
    return secret


@require_http_methods(["GET", "HEAD", "POST"])
@confirmed
def factor_passkey(request: HttpRequest) -> HttpResponse:
    """Make a passkey; a script asks the browser for it."""
    if not settings.PASSKEYS:
        raise Conflict("passkeys_need_https", "Passkeys work only where the site has https.")
    form = PasskeyForm(request.POST if "name" in request.POST else None)
    if form.is_valid():
        state = request.session.pop(CHALLENGE, None)
        sent = form.cleaned_data["passkey"]
        if state and passkeys.register(request.user, form.cleaned_data["name"], state, sent):
            return _enrolled(request)
        form.add_error(None, "The browser did not make a passkey. Try again.")
    challenge, request.session[CHALLENGE] = passkeys.begin_registration(request.user)
    context = {"form": form, "challenge": challenge}
    return render(request, "accounts/factor_passkey.html", context, status=400 if form.errors else 200)


def _enrolled(request: HttpRequest) -> HttpResponse:
    """The account page; after the first factor with recovery codes, shown this once."""
    if second_factors.recovery_codes_left(request.user):
        messages.success(request, "Second factor added.")
        return redirect("account")
    return _with_codes(request)


def _with_codes(request: HttpRequest) -> HttpResponse:
    note = "Keep them where you find them without your device. They are shown only once; each works once."
    codes = "\n".join(second_factors.new_recovery_codes(request.user))
    return shown_once.lead_to(request, reverse("account"), ShownOnce("Recovery codes", note, codes))


@require_POST
@confirmed
def factor_codes(request: HttpRequest) -> HttpResponse:
    """Replace the recovery codes."""
    if not second_factors.is_enrolled(request.user):
        raise Conflict("no_second_factor", "Add an authenticator app or a passkey first.")
    return _with_codes(request)


@require_POST
@confirmed
def factor_remove(request: HttpRequest, pk: int) -> HttpResponse:
    factor = get_object_or_404(second_factors.factors_of(request.user), pk=pk)
    second_factors.remove(factor)
    messages.success(request, f"{factor} removed.")
    return redirect("account")


urlpatterns = [
    path("account/app/", factor_app, name="factor-app"),
    path("account/passkey/", factor_passkey, name="factor-passkey"),
    path("account/codes/", factor_codes, name="factor-codes"),
    path("account/factors/<int:pk>/remove/", factor_remove, name="factor-remove"),
]
