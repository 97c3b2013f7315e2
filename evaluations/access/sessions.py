"""Sessions stored under digests of their keys, so that a table or a backup holds no working cookie.

Each row names its person, so that people see and end their own sessions. A session ends `EVALSITE_SESSION_HOURS`
after the sign-in, however busy it was.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from time import time as clock
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import OperationalError
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from evaluations.models import Session

from .addresses import client_address
from .tokens import digest

LENGTH = 40  # characters of the column in the table; as hexadecimal digits, 160 bits
NOTE_USE_EVERY = timedelta(minutes=5)  # a write for every page would hold SQLite's lock
CONFIRMED_FOR = 15 * 60  # seconds
SIGNED_IN, CONFIRMED, ADDRESS, BROWSER = "signed_in", "confirmed", "address", "browser"


class SessionStore(db.SessionStore):
    """Django's session store; the key itself is only in the cookie."""

    @classmethod
    def get_model_class(cls) -> type[AbstractBaseSession]:
        return Session

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        live = Session.objects.filter(session_key=row(self.session_key or ""), expire_date__gt=timezone.now())
        session = next(iter(live), None)  # `first` would sort
        if session is None:
            self._session_key = None
        elif timezone.now() - session.seen_at > NOTE_USE_EVERY:
            with suppress(OperationalError):  # a full or busy disk keeps nobody from reading
                Session.objects.filter(pk=session.pk).update(seen_at=timezone.now())
        return session

    def save(self, must_create: bool = False) -> None:
        """Save the session. A full disk raises its own error; Django would report a deleted session."""
        try:
            super().save(must_create)
        except UpdateError as error:
            problem = error.__context__
            if isinstance(problem, OperationalError):
                raise problem from problem.__cause__
            raise

    def exists(self, session_key: str) -> bool:
        return super().exists(row(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        session = super().create_model_instance(data)
        assert isinstance(session, Session)
        session.session_key = row(session.session_key)
        session.user_id = data.get(SESSION_KEY)
        session.address, session.browser = data.get(ADDRESS, ""), data.get(BROWSER, "")
        session.created_at = datetime.fromtimestamp(data.get(SIGNED_IN, clock()), UTC)
        return session

    def get_expiry_age(self, **given: Any) -> int:
        """Seconds until the session ends, counted from the sign-in."""
        age = super().get_expiry_age(**given)
        return max(0, int(min(age, self[SIGNED_IN] + age - clock()))) if SIGNED_IN in self else age

    def get_expiry_date(self, **given: Any) -> Any:
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**given))

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            super().delete(row(key))


def row(session_key: str) -> str:
    """The primary key of a session: the digest of the key in the cookie."""
    return digest(session_key)[:LENGTH]


@receiver(user_logged_in)
def _begin(sender: Any, request: HttpRequest, **more: Any) -> None:
    """Note at a sign-in when and from where it came; signing in counts as a confirmation.

    The receiver is here, because whoever stores a session has imported this module.
    """
    request.session[SIGNED_IN] = request.session[CONFIRMED] = int(clock())
    request.session[ADDRESS] = client_address(request)[:45]
    request.session[BROWSER] = request.headers.get("User-Agent", "")[:200]


def confirm(session: SessionBase) -> None:
    """Note that the person has just proved again who they are."""
    session[CONFIRMED] = int(clock())


def is_confirmed(session: SessionBase) -> bool:
    """Whether the person signed in, or proved again who they are, in the last 15 minutes."""
    return bool(0 <= clock() - session.get(CONFIRMED, 0) <= CONFIRMED_FOR)


def sessions_of(user: User) -> QuerySet[Session]:
    """The person's live sessions, last used first."""
    return Session.objects.filter(user=user, expire_date__gt=timezone.now()).order_by("-seen_at")


def end(user: User, key: str) -> bool:
    """End one session of the person; whether there was one."""
    return bool(sessions_of(user).filter(session_key=key).delete()[0])


def end_others(user: User, session: SessionBase) -> int:
    """End all sessions of the person but this one; returns how many."""
    return sessions_of(user).exclude(session_key=row(session.session_key or "")).delete()[0]


def end_all(user: User) -> None:
    """End all sessions of the person, such as when they are disabled."""
    Session.objects.filter(user=user).delete()
