"""The models that forms offer: those that the server listed, that have a price, or that were used before."""

from evaluations import kinds
from evaluations.evaluators import connections
from evaluations.models import EvaluatorVersion, Generation, Price, Project, PromptVersion

OFFERED = 100


def offered(project: Project) -> list[str]:
    priced = Price.objects.filter(connection__project=project).order_by("model")
    listed = _listed(project)
    names = [*priced.values_list("model", flat=True).distinct()[:OFFERED], *_used(project), *listed]
    return list(dict.fromkeys(name for name in names if name))[:OFFERED]


def usual(project: Project) -> str:
    """The model that was used last, else the first that is offered; "" if none is known."""
    return next(iter([*_used(project), *offered(project)]), "")


def only_judging(project: Project) -> set[str]:
    """The models of judges that no prompt names and no launch asked: they are not offered as variants."""
    judges = EvaluatorVersion.objects.filter(evaluator__project=project, kind__in=kinds.JUDGES)
    judging = {str(config.get("model", "")) for config in judges.values_list("config", flat=True)}
    asked = Generation.objects.filter(launch__project=project, model__in=judging)
    return judging - {*_used(project), *asked.values_list("model", flat=True)}


def _listed(project: Project) -> list[str]:
    """What the server of the default connection said at its last test."""
    test = connections.last_test(project.default_connection) if project.default_connection else None
    return list(test.probe.models) if test else []


def _used(project: Project) -> list[str]:
    """The models of the newest versions of prompts."""
    versions = PromptVersion.objects.filter(prompt__project=project, prompt__deleted_at=None).exclude(
        model=""
    )
    return list(versions.order_by("-pk").values_list("model", flat=True)[:OFFERED])
