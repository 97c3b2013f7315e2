"""Projects, who may do what in them, API keys and sign-in links."""

import hashlib
import hmac
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from evaluations.errors import Conflict, Forbidden, Invalid
from evaluations.models import ApiKey, Dataset, Membership, Project, Role, Run, Scope, SignInLink
from evaluations.models.owned import Owned, Principal
from evaluations.owned import UNDO

# `examples` is to read what is in datasets, which a key that only runs has no need of. `connect` is to write
# connections and their keys. A write key may, if its owner may: programs that were written before there were
# admin keys make connections with one.
ACTIONS = ("read", "examples", "run", "write", "connect", "admin")
BY_ROLE = {
    Role.VIEWER: {"read", "examples"},
    Role.EDITOR: {"read", "examples", "run", "write"},
    Role.ADMIN: set(ACTIONS),
}
BY_SCOPE = {
    Scope.READ: {"read", "examples"},
    Scope.RUN: {"read", "run"},
    Scope.WRITE: {"read", "examples", "run", "write", "connect"},
    Scope.ADMIN: set(ACTIONS),
}
LINK_HOURS = 1


def may_create(user: User) -> bool:
    """Whether a person may make projects: everybody, unless the site leaves that to its administrators."""
    return user.is_superuser or (settings.EVALSITE_PROJECT_CREATION and user.is_authenticated)


def create(name: str, owner: User) -> Project:
    """A project with its first administrator."""
    with transaction.atomic():
        project = Project.objects.create(name=name, slug=_free_slug(name))
        Membership.objects.create(project=project, user=owner, role=Role.ADMIN)
    return project


def _free_slug(name: str) -> str:
    base = slugify(name)[:40] or "project"
    taken = {"new", *Project.objects.filter(slug__startswith=base).values_list("slug", flat=True)}
    return next(
        slug for n in range(1, len(taken) + 2) if (slug := base if n == 1 else f"{base}-{n}") not in taken
    )


def rename(project: Project, name: str) -> Project:
    """Call it something else; its address stays, because it is in bookmarks."""
    project.name = name
    project.save(update_fields=["name"])
    return project


def delete(project: Project, typed: str) -> None:
    """Hide it and all it owns, for seven days restorable, if its name was typed and no work is going on."""
    if typed != project.name:
        message = "Type the name of the project to delete it."
        raise Invalid("name_needed", message, fields={"typed": [message]})
    with transaction.atomic():
        Project.objects.filter(pk=project.pk).update(deleted_at=timezone.now())
        runs = Run.objects.live().filter(project=project, status__in=Run.OPEN)
        imports = Dataset.objects.live().filter(project=project, status=Dataset.Status.IMPORTING)
        if runs.exists() or imports.exists():
            raise Conflict(
                "in_use", "Runs or imports of this project are going on.", hint="Cancel them first."
            )


def restorable(user: User) -> QuerySet[Project]:
    """Deleted projects that this person may bring back."""
    gone = Project.objects.filter(deleted_at__gt=timezone.now() - UNDO)
    return gone if user.is_superuser else gone.filter(memberships__user=user, memberships__role=Role.ADMIN)


def restore(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(deleted_at=None)


def allowed(principal: Principal, project: Project) -> set[str]:
    """What this person or key may do there: a subset of `ACTIONS`."""
    if isinstance(principal, ApiKey):
        return _allowed_to_key(principal) if principal.project_id == project.pk else set()
    if principal.is_superuser:
        return set(ACTIONS)
    role = Membership.objects.filter(project=project, user=principal).values_list("role", flat=True).first()
    return set(BY_ROLE.get(role, ()))


def _allowed_to_key(key: ApiKey) -> set[str]:
    """A key never may more than its owner."""
    scope = BY_SCOPE[Scope(key.scope)]
    return scope & allowed(key.owner, key.project) if key.owner else scope


def require(principal: Principal, project: Project, action: str) -> None:
    """Raise `Forbidden` with a sentence unless the principal may do this."""
    if action not in allowed(principal, project):
        raise _forbidden(action, project)


def _forbidden(action: str, project: Project) -> Forbidden:
    return Forbidden("forbidden", f"This needs the right to {action} in the project {project.name}.")


def allowed_with(principal: Principal, thing: Owned) -> set[str]:
    """The same, with "remove" where they may delete and restore the thing.

    Editors may remove what they made, administrators everything; a key without an owner made what nobody owns.
    """
    actions = allowed(principal, thing.project)
    user = person(principal)
    is_own = thing.created_by_id == (user.pk if user else None)
    return actions | ({"remove"} if "admin" in actions or ("write" in actions and is_own) else set())


def require_removal(principal: Principal, thing: Owned) -> None:
    """Raise `Forbidden` unless they may delete and restore it."""
    actions = allowed_with(principal, thing)
    if "write" not in actions:
        raise _forbidden("write", thing.project)
    if "remove" not in actions:
        raise Forbidden("forbidden", "Only who made this, and administrators, can delete and restore it.")


def person(principal: Principal) -> User | None:
    """The user behind a principal: for a key, its owner."""
    return principal.owner if isinstance(principal, ApiKey) else principal


# ---- API keys ----------------------------------------------------------------------------------------------


def create_key(
    project: Project, owner: User | None, name: str, scope: str, expires_in: timedelta | None = None
) -> tuple[ApiKey, str]:
    """A new key and its secret text, which is shown now and never again."""
    if scope not in Scope.values:
        raise Invalid("invalid", f"A key's scope is one of {', '.join(Scope.values)}.")
    prefix = secrets.token_hex(4)
    text = f"evk_{prefix}_{secrets.token_urlsafe(32)}"
    expires_at = timezone.now() + expires_in if expires_in else None
    key = ApiKey.objects.create(
        project=project,
        owner=owner,
        name=name,
        scope=scope,
        prefix=prefix,
        digest=digest(text),
        expires_at=expires_at,
    )
    return key, text


def find_key(text: str) -> ApiKey | None:
    """The live key behind a secret text; None for one that is unknown, revoked, expired or whose owner has left."""
    prefix = text.removeprefix("evk_")[:8]
    key = ApiKey.objects.select_related("project", "owner").filter(prefix=prefix).first()
    if key is None or not hmac.compare_digest(key.digest, digest(text)) or not _is_live(key):
        return None
    _note_use(key)
    return key


def _is_live(key: ApiKey) -> bool:
    now = timezone.now()
    if key.revoked_at or key.project.deleted_at or (key.expires_at and key.expires_at <= now):
        return False
    return key.owner is None or (key.owner.is_active and bool(allowed(key.owner, key.project)))


def keys_of(user: User) -> QuerySet[ApiKey]:
    """The person's own keys that are not revoked, the newest first."""
    return ApiKey.objects.filter(owner=user, revoked_at=None).select_related("project").order_by("-pk")


def keys_in(project: Project) -> QuerySet[ApiKey]:
    """The keys of everybody in a project that are not revoked, the newest first."""
    return ApiKey.objects.filter(project=project, revoked_at=None).select_related("owner").order_by("-pk")


def revoke_key(key: ApiKey) -> None:
    """Refuse the key from now on; revoking it again changes nothing."""
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())


def _note_use(key: ApiKey) -> None:
    """Remember the use, at most once in five minutes: a write per request would hold SQLite's lock."""
    now = timezone.now()
    if key.last_used_at is None or now - key.last_used_at > timedelta(minutes=5):
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)


def digest(text: str) -> str:
    """What is kept of a secret of 256 random bits."""
    return hashlib.sha256(text.encode()).hexdigest()


# ---- signing in --------------------------------------------------------------------------------------------


def make_signin_link(user: User) -> str:
    """A token that signs `user` in once, within an hour."""
    token = secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(hours=LINK_HOURS)
    SignInLink.objects.create(user=user, digest=digest(token), expires_at=expires_at)
    return token


def use_signin_link(token: str) -> User | None:
    """The user of a link that is fresh and unused, once; else None."""
    now = timezone.now()
    fresh = SignInLink.objects.filter(
        digest=digest(token), used_at=None, expires_at__gt=now, user__is_active=True
    )
    if not fresh.update(used_at=now):
        return None
    return User.objects.get(pk=SignInLink.objects.get(digest=digest(token)).user_id)


def is_usable(token: str) -> bool:
    """Whether a link would still sign somebody in; looking does not use it up."""
    now = timezone.now()
    return SignInLink.objects.filter(digest=digest(token), used_at=None, expires_at__gt=now).exists()


def change_password(user: User, password: str) -> None:
    """Set a password; sign-in links that were sent before do not work any more."""
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        SignInLink.objects.filter(user=user, used_at=None).delete()
