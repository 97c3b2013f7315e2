"""How the columns of a file were mapped, remembered for the project's next file with the same header."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from evaluations import leases
from evaluations.models import Project, SavedMapping
from evaluations.values import canonical_json

MOST = 200  # of a project; the ones unused for longest are forgotten


def header_of(columns: Sequence[str]) -> str:
    return sha256(canonical_json([*columns]).encode()).hexdigest()


def remember(project: Project, columns: Sequence[str], chosen: dict[str, Any]) -> None:
    """Keep the roles that were confirmed: {"columns": {name: [role, variant]}, "paths": …}."""
    kept = {part: chosen.get(part, {}) for part in ("columns", "paths")}
    SavedMapping.objects.update_or_create(
        project=project, header=header_of(columns), defaults=kept | {"used_at": leases.now()}
    )
    saved = SavedMapping.objects.filter(project=project).order_by("-used_at", "-pk")
    SavedMapping.objects.filter(pk__in=[*saved.values_list("pk", flat=True)[MOST:]]).delete()


def recall(project: Project, columns: Sequence[str]) -> dict[str, Any]:
    """The roles that columns of these names had last; empty where no file had this header."""
    saved = SavedMapping.objects.filter(project=project, header=header_of(columns)).first()
    return {"columns": saved.columns, "paths": saved.paths} if saved else {}
