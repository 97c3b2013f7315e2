"""All accounts of the site, for its administrators."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import accounts, second_factors
from evaluations.access.addresses import public_address

from ..page_tools import shown_once
from ..page_tools.paging import paged
from ..page_tools.request import HttpRequest
from ..page_tools.shown_once import ShownOnce
from .proving import confirmed


@require_safe
def person_list(request: HttpRequest) -> HttpResponse:
    accounts.require_administrator(request.user, "see and change accounts")
    page = paged(request, accounts.listed(), "pk")
    has_mail = any(person.email for person in page.rows)
    columns = f"Name,{' E-mail,' if has_mail else ''} Projects:number, Last signed in, Status, Actions:unseen"
    context = {"page": page, "has_mail": has_mail, "columns": columns}
    return shown_once.page(request, "accounts/person_list.html", context)


@require_POST
@confirmed
def person_disable(request: HttpRequest, pk: int) -> HttpResponse:
    person = person_or_404(request, pk)
    accounts.disable(person, request.user)
    messages.success(request, f"{person} can no longer sign in. Their sessions and keys no longer work.")
    return redirect("person-list")


@require_POST
def person_enable(request: HttpRequest, pk: int) -> HttpResponse:
    person = person_or_404(request, pk)
    accounts.enable(person)
    messages.success(request, f"{person} can sign in again.")
    return redirect("person-list")


@require_POST
@confirmed
def person_factors(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove the second factors of a person who lost them."""
    person = person_or_404(request, pk)
    second_factors.remove_all(person)
    messages.success(request, f"{person} signs in without a second factor now.")
    return redirect("person-list")


@require_POST
@confirmed
def person_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Create a link that signs the person in once; the page shows it, this once."""
    person = person_or_404(request, pk)
    address = reverse("signin-link", args=[accounts.signin_link(person)])
    note = f"Copy it now. It is shown only once. The link signs {person} in once, within an hour."
    shown = ShownOnce(f"Sign-in link for {person}", note, public_address(request, address))
    return shown_once.lead_to(request, reverse("person-list"), shown)


def person_or_404(request: HttpRequest, pk: int) -> User:
    accounts.require_administrator(request.user, "see and change accounts")
    return get_object_or_404(User, pk=pk)


urlpatterns = [
    path("people/", person_list, name="person-list"),
    path("people/<int:pk>/disable/", person_disable, name="person-disable"),
    path("people/<int:pk>/enable/", person_enable, name="person-enable"),
    path("people/<int:pk>/factors/", person_factors, name="person-factors"),
    path("people/<int:pk>/link/", person_link, name="person-link"),
]
