"""Middleware that carries out a form once, however often its button was pressed before the next page came."""

import time
from hashlib import sha256
from http.cookies import SimpleCookie

from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import redirect
from redis import RedisError

from evaluations.access.audit import unrecorded

from ..page_tools.request import HttpRequest
from .middleware import GetResponse

LONGEST = 10  # seconds that a second press waits for the first, whose answer is remembered as long
STEP = 0.05  # seconds between two looks at it: caches tell nobody of a change
AT_WORK = ""


def sent_once(get_response: GetResponse) -> GetResponse:
    """Lead a form that is sent twice from one page, with the same values, to where its first sending led.

    Otherwise the first press would create something, and the second would be refused because its name is taken, or
    create it again. A drawn page has its own CSRF token, so that what somebody wants again is not taken for a repeat.
    htmx sends nothing twice by itself. Without Redis each process knows only what was sent to it.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        name = _name(request)
        if not name:
            return get_response(request)
        try:
            led = _led_to(name)
        except RedisError:
            return get_response(request)
        if led:
            address, cookies = led
            answer = redirect(address)
            answer.cookies.update(cookies)
            return unrecorded(answer)  # the audit log has the first
        response = get_response(request)
        try:
            if response.status_code == 302:
                cache.set(name, (response["Location"], response.cookies), timeout=LONGEST)
            else:
                cache.delete(name)
        except RedisError:
            pass  # the claim ends by itself
        return response

    return middleware


def _name(request: HttpRequest) -> str:
    """What was sent, by whom and from which drawn page; "" for what is no form of a page."""
    if request.method != "POST" or request.htmx or not request.user.is_authenticated:
        return ""
    if not request.POST.get("csrfmiddlewaretoken"):
        return ""
    files = [(name, file.name, file.size) for name in request.FILES for file in request.FILES.getlist(name)]
    sent = repr((request.user.pk, request.get_full_path(), sorted(request.POST.lists()), files))
    return f"sent:{sha256(sent.encode(errors='surrogatepass')).hexdigest()}"


def _led_to(name: str) -> tuple[str, SimpleCookie] | None:
    """Where the first sending led, with the cookies of its answer; None if this is the first, or it led nowhere."""
    end = time.monotonic() + LONGEST
    while not cache.add(name, AT_WORK, timeout=LONGEST):
        if led := cache.get(name):
            address, cookies = led
            return str(address), cookies
        if time.monotonic() > end:
            break
        time.sleep(STEP)
    return None
