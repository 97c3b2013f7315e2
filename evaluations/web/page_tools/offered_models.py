"""The models that forms offer: those that the project has a price for or used before."""

from evaluations.models import Price, Project, PromptVersion

OFFERED = 100


def offered(project: Project) -> list[str]:
    priced = Price.objects.filter(connection__project=project).order_by("model")
    names = [*priced.values_list("model", flat=True).distinct()[:OFFERED], *_used(project)]
    return list(dict.fromkeys(name for name in names if name))[:OFFERED]


def usual(project: Project) -> str:
    """The model that was used last, else the first that is offered; "" if none is known."""
    return next(iter([*_used(project), *offered(project)]), "")


def _used(project: Project) -> list[str]:
    """The models of the newest versions of prompts."""
    versions = PromptVersion.objects.filter(prompt__project=project, prompt__deleted_at=None).exclude(
        model=""
    )
    return list(versions.order_by("-pk").values_list("model", flat=True)[:OFFERED])
