"""How long people take for one label, for all that says how long labelling takes."""

from statistics import median

from evaluations.models import Label, Project

SECONDS = 15  # for one label, before anything is known
RECENT = 500


def seconds(project: Project) -> float:
    """The median time of a label in this project lately."""
    timed = Label.objects.filter(item__task__project=project, seconds__isnull=False).order_by("-pk")
    taken = [one for one in timed.values_list("seconds", flat=True)[:RECENT] if one is not None]
    return float(median(taken)) if taken else SECONDS
