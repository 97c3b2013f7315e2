"""The versions of a prompt as its page lists them, with their runs and scores; and what the list of prompts says."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import F, Max

from evaluations.comparisons.overviews import counts_of_versions
from evaluations.launches.following import Early, early_of
from evaluations.models import Experiment, Prompt, PromptLabel, PromptVersion, Run, Scoring
from evaluations.prompts.versions import Entry

SHOWN = 20  # runs of a version, the newest of each variant
EXPERIMENTS = 5  # of a version


@dataclass(frozen=True)
class Use:
    """A run with its scores by the primary evaluator, if any; `name` is what its variant has besides the version.

    `early` is what the answers of one that stopped say, and `size` how many examples its version of the dataset has.
    """

    run: Run
    name: str
    scoring: Scoring | None
    early: Early | None = None
    size: int = 0


@dataclass(frozen=True)
class Tried:
    """An experiment with the newest run of each variant of a version."""

    experiment: Experiment
    uses: list[Use]

    @property
    def scoring(self) -> Scoring | None:
        return next((use.scoring for use in self.uses if use.scoring), None)

    @property
    def early(self) -> Early | None:
        return next((use.early for use in self.uses if use.early), None)

    @property
    def has_failed(self) -> bool:
        return all(use.run.status == Run.Status.FAILED for use in self.uses)


@dataclass(frozen=True)
class Line:
    """A version; `more` experiments are not shown."""

    version: PromptVersion
    tried: list[Tried]
    more: int
    labels: list[str]


def lines(history: Sequence[Entry], prompt: Prompt) -> list[Line]:
    labels = labels_of(entry.version for entry in history)
    runs = {entry.version.pk: _newest(entry.runs) for entry in history}
    every = [run for newest in runs.values() for run in newest]
    scorings, early = _primary(every), early_of(every)
    listed = []
    for entry in history:
        experiments: dict[Experiment, list[Use]] = {}
        for run in runs[entry.version.pk]:
            use = Use(run, _besides(run, prompt, entry.version), scorings.get(run.pk), early.get(run.pk))
            experiments.setdefault(run.experiment, []).append(use)
        tried = [Tried(experiment, uses) for experiment, uses in experiments.items()]
        # what ran by the model of the version before what ran by others; else the newest first
        tried.sort(key=lambda one: all(use.name for use in one.uses))
        more = max(0, len(tried) - EXPERIMENTS)
        listed.append(Line(entry.version, tried[:EXPERIMENTS], more, labels[entry.version.pk]))
    return listed


def _besides(run: Run, prompt: Prompt, version: PromptVersion) -> str:
    """What the variant of a run is called besides the version, such as another model."""
    return run.variant.removeprefix(f"{prompt.name} v{version.number}").strip()


def scored_by(listed: Iterable[Line]) -> str:
    """The evaluator by which all these scores are; empty if there are several."""
    scorings = [tried.scoring for line in listed for tried in line.tried if tried.scoring]
    names = {scoring.evaluator_version.evaluator.name for scoring in scorings}
    return names.pop() if len(names) == 1 else ""


def _newest(runs: Iterable[Run]) -> list[Run]:
    """The first run of each variant of an experiment; `runs` has the newest first."""
    by_variant: dict[tuple[int, str], Run] = {}
    for run in runs:
        by_variant.setdefault((run.experiment_id, run.variant), run)
    return list(by_variant.values())[:SHOWN]


def labels_of(shown: Iterable[PromptVersion]) -> dict[int, list[str]]:
    """The labels in force of these versions, by version."""
    labels = defaultdict[int, list[str]](list)
    in_force = PromptLabel.objects.filter(version__in=list(shown), ended_at=None)
    for label in in_force.order_by("name"):
        labels[label.version_id].append(label.name)
    return labels


def last_scores(prompts: Sequence[Prompt]) -> dict[int, Use]:
    """By prompt, the newest run of its newest version with scores by the primary evaluator of the experiment."""
    scored = Scoring.objects.filter(
        run__prompt_version__prompt__in=prompts,
        run__status=Run.Status.COMPLETED,
        run__deleted_at=None,
        run__experiment__deleted_at=None,
        evaluator_version__evaluator=F("run__experiment__primary"),
    )
    by_version = scored.values_list("run__prompt_version__prompt", "run__prompt_version__number").order_by()
    newest = {prompt: run for prompt, _, run in sorted(by_version.annotate(newest=Max("run")))}
    runs = Run.objects.filter(pk__in=newest.values()).select_related("prompt_version__prompt", "experiment")
    scorings = _primary(runs)
    sizes = counts_of_versions([run.experiment for run in runs])
    return {
        run.prompt_version.prompt_id: Use(
            run,
            _besides(run, run.prompt_version.prompt, run.prompt_version),
            scorings[run.pk],
            size=sizes[run.experiment.dataset_id, run.experiment.dataset_version],
        )
        for run in runs
        if run.prompt_version and run.pk in scorings
    }


def newest_runs(prompts: Sequence[Prompt]) -> dict[int, Run]:
    """By prompt, the newest run of any of its versions."""
    live = Run.objects.live().filter(experiment__deleted_at=None, prompt_version__prompt__in=prompts)
    newest = live.order_by().values("prompt_version__prompt").annotate(newest=Max("pk"))
    runs = Run.objects.filter(pk__in=[row["newest"] for row in newest])
    return {
        run.prompt_version.prompt_id: run
        for run in runs.select_related("prompt_version", "generation")
        if run.prompt_version
    }


def _primary(runs: Iterable[Run]) -> dict[int, Scoring]:
    """The primary scoring of each run; if several versions scored it, by the newest."""
    primary_scorings = Scoring.objects.filter(
        run__in=list(runs), evaluator_version__evaluator=F("run__experiment__primary")
    )
    ordered = primary_scorings.select_related("evaluator_version__evaluator").order_by(
        "evaluator_version__number"
    )
    return {scoring.run_id: scoring for scoring in ordered if scoring.summary}
