"""Which experiments a list shows, by the address: `?state=`, `?dataset=` and `?verdict=`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from evaluations.comparisons.overviews import Overview
from evaluations.comparisons.rows import computed
from evaluations.models import Dataset, Experiment, Project, Run

from ..page_tools import url_values
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

MOST_LOOKED_AT = 100  # newest experiments whose verdicts are looked through, because verdicts are computed
MOST_DATASETS = 200  # that are offered
STATES = {"going": "in progress", "ended": "finished", "empty": "without runs"}
VERDICTS = {
    "better": "better than its baseline",
    "worse": "worse than its baseline",
    "cannot_tell": "no clear difference",
    "none": "no verdict",
}


@dataclass(frozen=True)
class Choice:
    """What the address chooses; "" for all."""

    state: str
    verdict: str
    dataset: int | None
    datasets: Sequence[Dataset]

    states = STATES
    verdicts = VERDICTS

    @property
    def is_made(self) -> bool:
        return bool(self.state or self.verdict or self.dataset)

    @property
    def words(self) -> list[str]:
        """What is chosen, for the title of the page."""
        named = [dataset.name for dataset in self.datasets if dataset.pk == self.dataset]
        return [*filter(None, [STATES.get(self.state), VERDICTS.get(self.verdict)]), *named]

    def narrow(self, experiments: QuerySet[Experiment]) -> QuerySet[Experiment]:
        """By state and dataset."""
        if self.dataset:
            experiments = experiments.filter(dataset=self.dataset)
        live = Run.objects.filter(experiment=OuterRef("pk"), deleted_at=None)
        going = Exists(live.filter(status__in=Run.OPEN))
        if self.state == "going":
            return experiments.filter(going)
        if self.state == "ended":
            return experiments.filter(~going, Exists(live))
        return experiments.filter(~Exists(live)) if self.state == "empty" else experiments

    def with_verdict(self, overviews: Sequence[Overview]) -> list[Overview]:
        """Those with the chosen verdict of the best variant; a lead that is not confirmed is no clear difference."""
        return [one for one in overviews if verdict_of(one) == self.verdict]


def from_request(request: HttpRequest, project: Project) -> Choice:
    datasets = Dataset.objects.live().filter(project=project, experiments__deleted_at=None).distinct()
    return Choice(
        url_values.choice(request, "state", STATES, ""),
        url_values.choice(request, "verdict", VERDICTS, ""),
        number(request, "dataset"),
        list(datasets.only("name").order_by("-pk")[:MOST_DATASETS]),
    )


def verdict_of(overview: Overview) -> str:
    """Of the best variant, as a key of `VERDICTS`."""
    return computed(lambda: _computed(overview), lambda: "none", f"experiment {overview.experiment.pk}")


def _computed(overview: Overview) -> str:
    if overview.entry is None or overview.comparison is None:
        return "none"
    found = overview.comparison.sentence.confirmation
    if found and not found.is_confirmed:
        return "cannot_tell"
    return overview.entry.paired.verdict or "none"
