"""Second factors: codes of an authenticator app (TOTP, RFC 6238) and recovery codes. Passkeys are in `passkeys`.

Nobody has to enrol. Who has enrolled is asked for one at every sign-in, also after a link and after an identity
provider. API keys are not affected.
"""

import hmac
import secrets
from datetime import timedelta
from time import time as clock

import pyotp
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluations import secretbox
from evaluations.errors import Conflict, TooManyRequests
from evaluations.models import RecoveryCode, SecondFactor

from . import tokens

RECOVERY_CODES = 10
RECOVERY_BYTES = 10  # 80 random bits, so that a plain digest is enough
STEP = 30  # seconds
FREE_TRIES = 5  # wrong codes in a row before the next has to wait
LONGEST_WAIT = 3600  # seconds


def factors_of(user: User) -> QuerySet[SecondFactor]:
    return user.second_factors.order_by("pk")


def is_enrolled(user: User) -> bool:
    return factors_of(user).exists()


def new_secret() -> str:
    """A secret for an app: 160 random bits in base 32."""
    return pyotp.random_base32()


def address(user: User, secret: str) -> str:
    """The address that an app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=user.get_username(), issuer_name="Evalsite")


def enrol_app(user: User, secret: str, code: str) -> bool:
    """Store the app if its first code is right; `Conflict` if the person has one already."""
    step = _step(secret, code, after=0)
    if step is None:
        return False
    sealed = secretbox.seal(user.pk, secret)
    _, is_new = SecondFactor.objects.get_or_create(
        user=user,
        kind=SecondFactor.Kind.APP,
        defaults={"name": "Authenticator app", "sealed": sealed, "counter": step},
    )
    if not is_new:
        raise Conflict(
            "authenticator_exists", "You have an authenticator app already.", hint="Remove it first."
        )
    return True


def check_code(user: User, code: str) -> bool:
    """Whether a code of the app, or a recovery code, is right; each is accepted once.

    After five wrong codes in a row the next must wait, twice as long after each (`TooManyRequests`), whatever the
    address: six digits are few. Recovery codes cannot be guessed, so they never wait.
    """
    code = "".join(code.split()).replace("-", "").lower()
    if not code.isdigit() or len(code) != 6:
        return bool(RecoveryCode.objects.filter(user=user, digest=tokens.digest(code)).delete()[0])
    app = factors_of(user).filter(kind=SecondFactor.Kind.APP).first()
    return app is not None and _check_app(app, code)


def _check_app(app: SecondFactor, code: str) -> bool:
    """Count the try before looking at the code, so that many at once are not more tries."""
    if seconds := _wait(app):
        raise TooManyRequests("Too many wrong codes.", seconds)
    same = SecondFactor.objects.filter(pk=app.pk, failures=app.failures, counter=app.counter)
    if not same.update(failures=app.failures + 1, failed_at=timezone.now()):
        raise TooManyRequests("Another code is being checked.", 1)
    step = _step(secretbox.unseal(app.user_id, app.sealed), code, after=app.counter)
    if step is None:
        return False
    SecondFactor.objects.filter(pk=app.pk).update(failures=0, counter=step, used_at=timezone.now())
    return True


def _wait(app: SecondFactor) -> int:
    """Seconds until the next code may be tried."""
    if app.failures < FREE_TRIES or app.failed_at is None:
        return 0
    pause = min(LONGEST_WAIT, 2 ** min(app.failures, 20))
    return max(0, round((app.failed_at + timedelta(seconds=pause) - timezone.now()).total_seconds()))


def _step(secret: str, code: str, after: int) -> int | None:
    """The step of time that has this code: now, just before or just after, and later than the last one used."""
    totp, now = pyotp.TOTP(secret), int(clock()) // STEP
    steps = [step for step in (now - 1, now, now + 1) if step > after]
    return next((step for step in steps if hmac.compare_digest(totp.generate_otp(step), code)), None)


def new_recovery_codes(user: User) -> list[str]:
    """Replace the person's recovery codes; the new ones are shown now and never again."""
    codes = [secrets.token_hex(RECOVERY_BYTES) for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        RecoveryCode.objects.filter(user=user).delete()
        RecoveryCode.objects.bulk_create(
            RecoveryCode(user=user, digest=tokens.digest(code)) for code in codes
        )
    return ["-".join(code[at : at + 5] for at in range(0, len(code), 5)) for code in codes]


def recovery_codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(user=user).count()


def remove(factor: SecondFactor) -> None:
    """Remove a factor; with the last one, the recovery codes go too."""
    with transaction.atomic():
        factor.delete()
        if not is_enrolled(factor.user):
            RecoveryCode.objects.filter(user=factor.user).delete()


def remove_all(user: User) -> int:
    """Remove all factors of a person who lost them, and the codes; returns how many factors there were."""
    with transaction.atomic():
        RecoveryCode.objects.filter(user=user).delete()
        return factors_of(user).delete()[0]
