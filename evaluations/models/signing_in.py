"""The tables of sessions, second factors and recovery codes."""

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

# What browsers write into User-Agent; the first that fits, because many name others as well.
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad")),
    *(("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux")),
)


class Session(AbstractBaseSession):
    """A session of a browser; its key is the digest of the cookie. `user` is null before signing in."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    address = models.CharField(max_length=45, blank=True)
    browser = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta(AbstractBaseSession.Meta):
        abstract = False
        verbose_name = "session"

    @property
    def browser_name(self) -> str:
        """The browser and its system in a few words, such as "Firefox, Linux"; else what it calls itself."""
        known = [
            next((name for mark, name in names if mark in self.browser), "") for names in (BROWSERS, SYSTEMS)
        ]
        return ", ".join(name for name in known if name) or self.browser[:60] or "unknown"


class SecondFactor(models.Model):
    """What a person shows beside the password: codes of an authenticator app, or a passkey.

    An app has `sealed`, its shared secret, encrypted; a passkey has `credential`, its public key. `counter` is the
    last step of time whose code was used, or the passkey's count of signatures. `failures` counts wrong codes since
    the last right one.
    """

    class Kind(models.TextChoices):
        APP = "app", "authenticator app"
        PASSKEY = "passkey", "passkey"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="second_factors")
    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=100)
    sealed = models.TextField(blank=True)
    credential = models.BinaryField(null=True)
    counter = models.BigIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    used_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "second factor"
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(kind="app"), name="second_factor_one_app"
            )
        ]

    def __str__(self) -> str:
        return self.name


class RecoveryCode(models.Model):
    """A code that replaces a second factor, once; it is deleted when it is used."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64, unique=True)
