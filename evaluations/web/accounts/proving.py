"""People prove who they are: a second factor when they sign in, and again before dangerous acts.

Both ask with the same form; the challenge of a passkey is kept in the session until it is answered.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from evaluations.access import audit, identities, passkeys, second_factors, sessions
from evaluations.access.addresses import client_address, is_only_here
from evaluations.errors import TooManyRequests

from ..forms.proof import ProofForm
from ..page_tools.frame import previous_page
from ..page_tools.request import AnyRequest, HttpRequest

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
PENDING = "pending"  # who has shown the first factor, in a session that is signed in as nobody
PENDING_FOR = 600  # seconds
CHALLENGE = "passkey"
PREFIX = "confirm"  # of the fields that prove, beside those of an act
BACK = f"{PREFIX}-back"

View = Callable[..., HttpResponse]


# ---- signing in ----------------------------------------------------------------------------------------------


def sign_in(request: AnyRequest, user: User, onward: str) -> HttpResponse:
    """Sign in and go onward; who has enrolled a second factor is asked for it first."""
    if not second_factors.is_enrolled(user):
        login(request, user, backend=MODEL_BACKEND)
        return redirect(onward)
    request.session.cycle_key()
    request.session[PENDING] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "onward": onward,
        "until": timezone.now().timestamp() + PENDING_FOR,
    }
    return redirect("signin-second")


def _pending(request: HttpRequest) -> tuple[User, str] | None:
    """Who has shown the first factor and where they were going; None after ten minutes or a new password."""
    pending = request.session.get(PENDING)
    if pending is None or pending["until"] < timezone.now().timestamp():
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    return (user, pending["onward"]) if user and user.get_session_auth_hash() == pending["hash"] else None


@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def signin_second(request: HttpRequest) -> HttpResponse:
    """The second step of signing in."""
    if (pending := _pending(request)) is None:
        return redirect("signin")
    user, onward = pending
    form = _form(request, user, with_password=False)
    if request.method == "POST" and _proves(request, form):
        del request.session[PENDING]
        login(request, user, backend=MODEL_BACKEND)
        return redirect(onward)
    context = {"form": form, "challenge": _challenge(request, user)}
    return render(request, "accounts/signin_second.html", context, status=_status(form))


# ---- before dangerous acts -----------------------------------------------------------------------------------


def confirmed(view: View) -> View:
    """A view whose POST is done only for a person who proved in the last 15 minutes who they are.

    Others get a page that asks and sends the same fields again.
    """
    return confirmed_if(lambda request: True)(view)


def confirmed_if(is_dangerous: Callable[[HttpRequest], bool]) -> Callable[[View], View]:
    """Like `confirmed`, for some of the requests of a view."""
    return lambda view: _guarded(view, is_dangerous)


def _guarded(view: View, is_dangerous: Callable[[HttpRequest], bool]) -> View:
    @sensitive_post_parameters()
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST" or not is_dangerous(request) or not asks(request):
            return view(request, *args, **kwargs)
        form = _form(request, request.user, with_password=True, prefix=PREFIX)
        if form.is_bound and _proves(request, form):
            sessions.confirm(request.session)
            return view(request, *args, **kwargs)
        return _ask(request, form)

    return guarded


def asks(request: HttpRequest) -> bool:
    """Not a person who has just proved it, or has nothing to prove it with on a site of this machine alone."""
    is_free = not _has_means(request.user) and is_only_here(request)
    return not (sessions.is_confirmed(request.session) or is_free)


def _has_means(user: User) -> bool:
    return user.has_usable_password() or second_factors.is_enrolled(user) or identities.is_of_provider(user)


def _ask(request: HttpRequest, form: ProofForm) -> HttpResponse:
    unsent = ("csrfmiddlewaretoken", BACK, *(f"{PREFIX}-{name}" for name in ProofForm.base_fields))
    context = {
        "form": form,
        "challenge": _challenge(request, request.user),
        "sent": [
            (name, text) for name, texts in request.POST.lists() if name not in unsent for text in texts
        ],
        "provider": settings.OIDC_NAME if identities.is_of_provider(request.user) else "",
        "has_means": _has_means(request.user),
        "back": _back(request),
    }
    return render(request, "accounts/confirm.html", context, status=max(403, _status(form)))


def _back(request: HttpRequest) -> str:
    """The page of the act: the one before the first question."""
    given = request.POST.get(BACK, "")
    is_ours = given.startswith("/") and url_has_allowed_host_and_scheme(given, {request.get_host()})
    return given if is_ours else previous_page(request)


# ---- both ----------------------------------------------------------------------------------------------------


def _form(request: HttpRequest, user: User, *, with_password: bool, prefix: str | None = None) -> ProofForm:
    lead = f"{prefix}-" if prefix else ""
    is_sent = request.method == "POST" and any(
        f"{lead}{name}" in request.POST for name in ProofForm.base_fields
    )
    return ProofForm(
        user,
        request.POST if is_sent else None,
        prefix=prefix,
        with_password=with_password,
        with_code=second_factors.is_enrolled(user),
    )


def _proves(request: HttpRequest, form: ProofForm) -> bool:
    """Whether what was sent proves who the person is; else the form says why not, and the audit log has it."""
    if not form.is_valid():
        return False
    user = form.user
    if form.given("passkey"):
        name, is_right = None, _answers(request, user, form.given("passkey"))
    elif form.given("code"):
        name, is_right = "code", _is_code(form)
    else:
        return _is_password(request, form)
    if not is_right:
        if not form.errors:
            form.add_error(name, "This passkey is not one of yours." if name is None else "Wrong code.")
        audit.record_signin("signin-failed", user, request.id, client_address(request))
    return is_right


def _is_password(request: HttpRequest, form: ProofForm) -> bool:
    """Checked like a sign-in, so that wrong ones are counted, logged and locked in the same way."""
    if "password" in form.fields and form.given("password"):
        if (
            authenticate(request, username=form.user.get_username(), password=form.given("password"))
            == form.user
        ):
            return True
        form.add_error("password", "Wrong password.")
    else:
        form.add_error(next(iter(form.fields)), "Enter it, or choose another way.")
    return False


def _is_code(form: ProofForm) -> bool:
    try:
        return second_factors.check_code(form.user, form.given("code"))
    except TooManyRequests as refusal:
        form.add_error("code", f"{refusal.message} {refusal.hint}".strip())
        return False


def _answers(request: HttpRequest, user: User, sent: str) -> bool:
    """Whether a passkey answers the challenge of this session, which it does once."""
    state = request.session.pop(CHALLENGE, None)
    return state is not None and passkeys.check(user, state, sent)


def _challenge(request: HttpRequest, user: User) -> str:
    """What a script needs to ask for a passkey; "" for people without one."""
    if not settings.PASSKEYS or not passkeys.passkeys_of(user).exists():
        return ""
    challenge, request.session[CHALLENGE] = passkeys.begin_question(user)
    return challenge


def _status(form: ProofForm) -> int:
    return 400 if form.is_bound and form.errors else 200


urlpatterns = [path("signin/second/", signin_second, name="signin-second")]
