"""Who may do what in a project: people by their role, keys by their scope and their owner."""

from django.contrib.auth.models import User

from evaluations.errors import Forbidden
from evaluations.models import ApiKey, Membership, Project, Role, Scope
from evaluations.models.owned import Owned
from evaluations.models.project import Principal

# "connect" allows writing connections and their keys; write keys have it, because programs older than admin keys create
# connections with them. "rate" allows labelling, by annotators only in the tasks in which they are asked.
ACTIONS = ("read", "run", "write", "connect", "admin", "rate")
IN_WORDS = {
    "read": "read what is",
    "run": "start runs",
    "write": "change things",
    "connect": "manage connections",
    "admin": "manage members and settings",
    "rate": "label answers",
}
MOST_NAMED = 3  # administrators
BY_ROLE = {
    Role.ANNOTATOR: {"rate"},
    Role.VIEWER: {"read"},
    Role.EDITOR: {"read", "run", "write", "rate"},
    Role.ADMIN: set(ACTIONS),
}
BY_SCOPE = {
    Scope.READ: {"read"},
    Scope.RUN: {"read", "run"},
    Scope.WRITE: {"read", "run", "write", "connect", "rate"},
    Scope.ADMIN: set(ACTIONS),
}


def allowed(principal: Principal, project: Project) -> set[str]:
    """What this person or key may do in the project: a subset of `ACTIONS`."""
    if isinstance(principal, ApiKey):
        return _allowed_to_key(principal) if principal.project_id == project.pk else set()
    if principal.is_superuser:
        return set(ACTIONS)
    if not isinstance(principal, User):
        return set()
    role = Membership.objects.filter(project=project, user=principal).values_list("role", flat=True).first()
    return set(BY_ROLE[Role(role)]) if role else set()


def _allowed_to_key(key: ApiKey) -> set[str]:
    """A key can never do more than its owner."""
    scope = BY_SCOPE[Scope(key.scope)]
    return scope & allowed(key.owner, key.project) if key.owner else scope


def require(principal: Principal, project: Project, action: str) -> None:
    """Raise `Forbidden` unless the principal may do this."""
    actions = allowed(principal, project)
    if action not in actions:
        raise _forbidden(action, project, actions)


def _forbidden(action: str, project: Project, actions: set[str]) -> Forbidden:
    sentence = f"You may not {IN_WORDS[action]} in the project {project.name} with your role or key."
    return Forbidden("forbidden", sentence, hint=f"{who_can(project, actions)} can change that.")


def who_can(project: Project, actions: set[str]) -> str:
    """The administrators of a project, by name for those who see its members, so that they know whom to ask."""
    admins = project.memberships.filter(role=Role.ADMIN, user__is_active=True).order_by("pk")
    names = [f"{name}" for name in admins.values_list("user__username", flat=True)[: MOST_NAMED + 1]]
    if "read" not in actions or not names or len(names) > MOST_NAMED:
        return "An administrator of the project"
    which = "administrator" if len(names) == 1 else "administrators"
    return f"The {which} of the project ({', '.join(names)})"


def allowed_with(principal: Principal, target: Owned) -> set[str]:
    """What the principal may do in the project of an object, with "remove" if that includes deleting the object.

    Editors may remove what they created, administrators everything. An object without a creator counts as created by
    a key without an owner.
    """
    actions = allowed(principal, target.project)
    user = person(principal)
    is_creator = target.created_by_id == (user.pk if user else None)
    return actions | ({"remove"} if "admin" in actions or ("write" in actions and is_creator) else set())


def require_removal(principal: Principal, target: Owned) -> None:
    """Raise `Forbidden` unless the principal may delete and restore it."""
    actions = allowed_with(principal, target)
    if "write" not in actions:
        raise _forbidden("write", target.project, actions)
    if "remove" not in actions:
        raise Forbidden(
            "forbidden",
            "Only the creator and administrators can delete or restore this.",
            hint=f"{who_can(target.project, actions)} can do that.",
        )


def person(principal: Principal) -> User | None:
    """The user behind a principal: for a key, its owner."""
    if isinstance(principal, ApiKey):
        return principal.owner
    return principal if isinstance(principal, User) else None
