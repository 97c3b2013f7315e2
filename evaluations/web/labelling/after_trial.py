"""What somebody had chosen in the form of a task before a trial: kept in the session, for the form after it."""

from django.http import QueryDict

from evaluations.models import LabelTask

from ..page_tools.request import HttpRequest

TRIALS = "trials"  # in the session: the address and the choices by trial, the last ones
REMEMBERED = 10
CHOICES = ("size", "raters", "overlap", "stop", "limit")


def remember(request: HttpRequest, trial: LabelTask) -> None:
    """Keep what a trial itself does not have, and which examples the page was about."""
    filter_of = request.GET.copy()
    filter_of.pop("like", None)
    chosen = {name: request.POST[name] for name in CHOICES if name in request.POST}
    earlier = [*request.session.get(TRIALS, {}).items()][1 - REMEMBERED :]
    request.session[TRIALS] = {**dict(earlier), str(trial.pk): [filter_of.urlencode(), chosen]}


def choices(request: HttpRequest, trial: LabelTask) -> dict[str, str]:
    return _kept(request, trial)[1]


def query(request: HttpRequest, trial: LabelTask) -> str:
    """The query of the form after the trial."""
    values = QueryDict(_kept(request, trial)[0], mutable=True)
    values["like"] = str(trial.pk)
    return values.urlencode()


def _kept(request: HttpRequest, trial: LabelTask) -> tuple[str, dict[str, str]]:
    kept: tuple[str, dict[str, str]] = request.session.get(TRIALS, {}).get(str(trial.pk), ("", {}))
    return kept
