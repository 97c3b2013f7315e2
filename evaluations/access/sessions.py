"""Sessions stored under digests of their keys, so that a table or a backup holds no working cookie."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import OperationalError
from django.utils import timezone

from .tokens import digest

LENGTH = 40  # characters of the column in Django's table; as hexadecimal digits, 160 bits


class SessionStore(db.SessionStore):
    """Django's session store; the key itself is only in the cookie."""

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        live = self.model.objects.filter(
            session_key=row(self.session_key or ""), expire_date__gt=timezone.now()
        )
        session = next(iter(live), None)  # `first` would sort
        if session is None:
            self._session_key = None
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
        session.session_key = row(session.session_key)
        return session

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            super().delete(row(key))


def row(session_key: str) -> str:
    """The primary key of a session: the digest of the key in the cookie."""
    return digest(session_key)[:LENGTH]
