"""The ids of a page's own objects in the calls that it shows, in place of those of the examples."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Model, QuerySet

from evaluations.kinds.people import people
from evaluations.models import Dataset, Evaluator, Experiment, Project, Prompt, Run
from evaluations.values import LARGEST_ID

from .request import AnyRequest


def named(value: Any, project: Project, experiment: int | None) -> Any:
    """A body of JSON that names the newest objects of the project, or of its experiment if the page is about one.

    What the project has none of keeps the number of the example.
    """
    if isinstance(value, list):
        return [named(one, project, experiment) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _of_field(name, one, project, experiment) for name, one in value.items()}


def experiment(request: AnyRequest, words: Mapping[str, str]) -> int | None:
    """The experiment that a page is about: its own, the one that its address names, or the newest on its dataset."""
    match, asked = request.resolver_match, request.GET.get("experiment", "")
    if asked.isdecimal() and len(asked) < len(f"{LARGEST_ID}"):
        return int(asked)
    noun = match.route.partition("/")[0] if match else ""
    if noun == "experiments" and "pk" in words:
        return int(words["pk"])
    on_dataset = (
        Experiment.objects.live().filter(dataset=int(words["pk"]))
        if noun == "datasets" and "pk" in words
        else ()
    )
    return max((one.pk for one in on_dataset), default=None)


def _of_field(name: str, value: Any, project: Project, experiment: int | None) -> Any:
    is_id = isinstance(value, int) or (isinstance(value, list) and all(isinstance(one, int) for one in value))
    if name not in FOUND or not is_id:
        return named(value, project, experiment)
    found = FOUND[name](project, experiment).order_by("-pk").values_list("pk", flat=True).first()
    own = value if found is None else found
    return [own] if isinstance(value, list) and found is not None else own


def _runs(project: Project, experiment: int | None) -> QuerySet[Run]:
    runs = Run.objects.filter(experiment__project=project, experiment__deleted_at=None, deleted_at=None)
    return runs.filter(experiment=experiment) if experiment else runs


def _datasets(project: Project, experiment: int | None) -> QuerySet[Dataset]:
    datasets = Dataset.objects.live().filter(project=project)
    return datasets.filter(experiments=experiment) if experiment else datasets


def _evaluators(project: Project, experiment: int | None) -> QuerySet[Evaluator]:
    evaluators = Evaluator.objects.live().filter(project=project)
    if experiment is None:
        return evaluators
    primary = evaluators.filter(pk__in=Experiment.objects.filter(pk=experiment).values("primary"))
    return primary if primary.exists() else evaluators


def _label_sets(project: Project, experiment: int | None) -> QuerySet[Evaluator]:
    return Evaluator.objects.live().filter(project=project, versions__kind=people.key)


def _experiments(project: Project, experiment: int | None) -> QuerySet[Experiment]:
    experiments = Experiment.objects.live().filter(project=project)
    return experiments.filter(pk=experiment) if experiment else experiments


def _prompts(project: Project, experiment: int | None) -> QuerySet[Prompt]:
    return Prompt.objects.live().filter(project=project)


FOUND: Mapping[str, Callable[[Project, int | None], QuerySet[Model]]] = {
    "baseline": _runs,
    "run": _runs,
    "runs": _runs,
    "dataset": _datasets,
    "evaluator": _evaluators,
    "evaluators": _evaluators,
    "label_set": _label_sets,
    "experiment": _experiments,
    "prompt": _prompts,
}
