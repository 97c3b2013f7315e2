"""Passkeys as second factors (WebAuthn, by the package fido2): registered, and asked for.

What the browser sends is checked against the challenge kept in the session, the host of EVALSITE_URL, and the public
key. An attestation of the device's maker is not asked for.
"""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from evaluations.models import SecondFactor

from . import second_factors

State = dict[str, Any]
LONGEST = 20_000  # characters of what a browser sends


def passkeys_of(user: User) -> QuerySet[SecondFactor]:
    return second_factors.factors_of(user).filter(kind=SecondFactor.Kind.PASSKEY)


def begin_registration(user: User) -> tuple[str, State]:
    """What the browser needs to make a passkey, as JSON, and what the session keeps of it."""
    person = PublicKeyCredentialUserEntity(
        id=str(user.pk).encode(), name=user.get_username(), display_name=user.get_username()
    )
    options, state = _server().register_begin(
        person,
        _credentials(user),
        resident_key_requirement=ResidentKeyRequirement.DISCOURAGED,
        user_verification=UserVerificationRequirement.DISCOURAGED,
    )
    return json.dumps(dict(options)["publicKey"]), state


def register(user: User, name: str, state: State, sent: str) -> bool:
    """Store the passkey that a browser made; False if what it sent is not right."""
    try:
        made = _server().register_complete(state, RegistrationResponse.from_dict(_parsed(sent)))
    except (ValueError, TypeError, KeyError):
        return False
    SecondFactor.objects.create(
        user=user,
        kind=SecondFactor.Kind.PASSKEY,
        name=name,
        credential=bytes(made.credential_data or b""),
        counter=made.counter,
    )
    return True


def begin_question(user: User) -> tuple[str, State]:
    """What the browser needs to ask for a passkey, as JSON, and what the session keeps of it."""
    options, state = _server().authenticate_begin(
        _credentials(user), user_verification=UserVerificationRequirement.DISCOURAGED
    )
    return json.dumps(dict(options)["publicKey"]), state


def check(user: User, state: State, sent: str) -> bool:
    """Whether a browser proved to hold one of the person's passkeys. A count that runs back is a copy: refused."""
    try:
        answer = AuthenticationResponse.from_dict(_parsed(sent))
        used = _server().authenticate_complete(state, _credentials(user), answer)
    except (ValueError, TypeError, KeyError):
        return False
    counter = answer.response.authenticator_data.counter
    passkey = next(key for key in passkeys_of(user) if bytes(key.credential or b"") == bytes(used))
    if counter and counter <= passkey.counter:
        return False
    SecondFactor.objects.filter(pk=passkey.pk).update(counter=counter, used_at=timezone.now())
    return True


def _parsed(sent: str) -> dict[str, Any]:
    if len(sent) > LONGEST:
        raise ValueError("longer than any browser's answer")
    value = json.loads(sent)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _credentials(user: User) -> list[AttestedCredentialData]:
    return [AttestedCredentialData(bytes(key.credential or b"")) for key in passkeys_of(user)]


def _server() -> Fido2Server:
    return Fido2Server(PublicKeyCredentialRpEntity(id=urlsplit(settings.URL).hostname, name="Evalsite"))
