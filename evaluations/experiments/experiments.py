"""Experiments: a dataset version, evaluators, and variants side by side."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from evaluations import kinds, owned
from evaluations.access import audit
from evaluations.datasets.versions import version_of
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import whole_references
from evaluations.evaluators.recipe import Recipe
from evaluations.models import (
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    ExperimentEvaluator,
    Import,
    Project,
    Run,
    Scoring,
)
from evaluations.scoring import deciding, jobs

from . import edited_outputs, for_gates
from .about import identity

MOST_MARGIN = 1e12  # far above the range of any evaluator


def create(
    project: Project, user: User | None, name: str, dataset: Dataset, evaluators: Iterable[Evaluator] = ()
) -> Experiment:
    """An experiment on the newest version of a dataset, with the newest versions of evaluators."""
    if dataset.status != Dataset.Status.READY:
        raise Conflict("dataset_not_ready", f"The dataset “{dataset.name}” is {dataset.status}.")
    if not dataset.example_count:
        raise Conflict("dataset_not_ready", f"The dataset “{dataset.name}” has no examples.")
    with transaction.atomic():
        experiment = Experiment(
            project=project, created_by=user, name=name, dataset=dataset, dataset_version=dataset.version
        )
        owned.save_named(experiment)
        link(experiment, newest(evaluators))
    return experiment


def newest(evaluators: Iterable[Evaluator]) -> list[EvaluatorVersion]:
    """The newest version of each evaluator, in the order given; `Invalid` for one whose scores are only sent."""
    listed = list(evaluators)
    versions = EvaluatorVersion.objects.filter(evaluator__in=listed).select_related("evaluator__project")
    by_evaluator = {v.evaluator_id: v for v in versions if v.number == v.evaluator.version}
    newest_versions = [by_evaluator[evaluator.pk] for evaluator in listed]
    for version in newest_versions:
        if version.kind in kinds.RECORDED:
            message = f"The scores of {version.evaluator.name} are sent to a run; nothing here computes them."
            hint = "Send them to POST runs/{id}/scores/, or leave this evaluator out."
            raise Invalid("evaluator_is_sent", message, hint=hint, fields={"evaluators": [message]})
    return newest_versions


def link(experiment: Experiment, versions: Sequence[EvaluatorVersion]) -> None:
    """Make an experiment use these versions; each replaces an older one of the same evaluator."""
    links = experiment.evaluator_links.select_related("evaluator_version")
    linked = {link.evaluator_version.evaluator_id: link for link in links}
    for version in versions:
        link = linked.get(version.evaluator_id) or ExperimentEvaluator(experiment=experiment)
        link.evaluator_version = version
        link.save()
    if experiment.primary_id is None and (decides := deciding.settle(experiment.pk, versions)):
        experiment.primary_id = decides


def add_evaluators(experiment: Experiment, evaluators: Iterable[Evaluator]) -> list[Run]:
    """Add evaluators for existing and later runs; returns the runs that are being scored now."""
    versions = newest(evaluators)
    with transaction.atomic():
        # The experiment is locked before its runs, so that two concurrent calls cannot deadlock.
        Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
        link(experiment, versions)
        runs = scorable_runs(experiment)
        for run in runs:
            jobs.open_job(run, versions)
    return runs


def behind(evaluator: Evaluator) -> list[Experiment]:
    """The experiments that use an older version of an evaluator than its newest, newest experiment first."""
    older = ExperimentEvaluator.objects.filter(
        evaluator_version__evaluator=evaluator, evaluator_version__number__lt=evaluator.version
    )
    return list(
        Experiment.objects.live().filter(evaluator_links__in=older, dataset__deleted_at=None).distinct()
    )


UNSCORABLE = (Run.Status.DRAFT, Run.Status.GENERATING, Run.Status.CANCELLED, Run.Status.FAILED)


def scorable_runs(experiment: Experiment) -> list[Run]:
    """The shown runs that additional evaluators can score."""
    return [run for run in shown_runs(experiment) if run.status not in UNSCORABLE]


def scored_completely(experiment: Experiment) -> set[int]:
    """The ids of the evaluators whose newest version has scored all its runs: to add them again changes nothing.

    A judge or a server may have answers that nobody has paid for yet, for which they are added again.
    """
    runs = scorable_runs(experiment)
    paid = [*kinds.JUDGES, *(key for key, kind in kinds.CATALOGUE.items() if kind.needs_connection)]
    scored = Scoring.objects.filter(run__in=runs, summary__isnull=False)
    scored = scored.exclude(evaluator_version__kind__in=paid)
    newest_scored = scored.filter(evaluator_version__number=F("evaluator_version__evaluator__version"))
    counts = Counter(newest_scored.values_list("evaluator_version__evaluator", flat=True))
    return {evaluator for evaluator, number in counts.items() if number == len(runs)}


def versions_of(experiment: Experiment) -> list[EvaluatorVersion]:
    """The evaluator versions an experiment uses, in the order they were added."""
    links = experiment.evaluator_links.select_related("evaluator_version__evaluator__project")
    return [link.evaluator_version for link in links]


def warnings(experiment: Experiment) -> list[str]:
    """Warnings about probably unintended settings of the experiment's evaluators."""
    columns = experiment.dataset.columns.get("reference", [])
    return whole_references.warnings(versions_of(experiment), columns) if len(columns) > 1 else []


def runs_of(experiment: Experiment) -> QuerySet[Run]:
    return experiment.runs.filter(deleted_at=None).order_by("pk")


def shown_runs(experiment: Experiment) -> list[Run]:
    """The newest run of every variant: the baseline's first, the others in order of creation."""
    return newest_by_variant(runs_of(experiment), experiment.baseline)


def exported_runs(experiment: Experiment) -> list[Run]:
    """The shown runs that have outputs."""
    without = (Run.Status.DRAFT, Run.Status.FAILED)
    return [run for run in shown_runs(experiment) if run.status not in without]


def newest_by_variant(runs: Iterable[Run], baseline: str) -> list[Run]:
    """The newest run of every variant, the baseline's first; `runs` must be in order of creation."""
    newest = {identity(run): run for run in for_gates.variants_among(runs)}
    first = _newest_named(newest.values(), baseline)
    return sorted(newest.values(), key=lambda run: run is not first)


def with_repeats(runs: Iterable[Run], baseline: str) -> list[Run]:
    """All runs of variants with outputs, grouped by variant, the baseline's first."""
    scorable = [run for run in for_gates.variants_among(runs) if run.status not in UNSCORABLE]
    first = _newest_named(scorable, baseline)
    order = {variant: index for index, variant in enumerate(dict.fromkeys(map(identity, scorable)))}
    return sorted(
        scorable, key=lambda run: (not first or identity(run) != identity(first), order[identity(run)])
    )


def _newest_named(runs: Iterable[Run], variant: str) -> Run | None:
    """The newest run of the variant with this name."""
    named = (run for run in runs if run.variant == variant)
    return max(named, key=lambda run: run.pk, default=None)


def set_baseline(experiment: Experiment, variant: str) -> None:
    """Make this variant the default baseline, for everybody."""
    if not runs_of(experiment).filter(variant=variant, for_gate=False).exists():
        raise Conflict("unknown_variant", f"The experiment has no variant “{variant}”.")
    audit.note(baseline=variant, before=experiment.baseline)
    Experiment.objects.filter(pk=experiment.pk).update(baseline=variant)
    experiment.baseline = variant


def set_primary(experiment: Experiment, evaluator: Evaluator) -> None:
    """Make this evaluator the primary one, for everybody. It must have scores here, or be going to."""
    if evaluator.pk not in scored_by(experiment):
        raise _not_used("primary", evaluator.name)
    _refuse_words(evaluator)
    audit.note(primary=evaluator.name, before=experiment.primary.name if experiment.primary else None)
    Experiment.objects.filter(pk=experiment.pk).update(primary=evaluator)
    experiment.primary = evaluator


def _refuse_words(evaluator: Evaluator) -> None:
    newest = evaluator.versions.get(number=evaluator.version)
    if not Recipe.from_version(newest).has_means:
        message = f"{evaluator.name} has words without numbers, and variants are compared by numbers."
        raise Invalid("invalid", message, fields={"primary": [message]})


def scored_by(experiment: Experiment) -> set[int]:
    """The ids of the evaluators that it uses, and of all that scored one of its runs, wherever the scores came from."""
    by_run = Scoring.objects.filter(run__experiment=experiment, run__deleted_at=None)
    return {
        *experiment.evaluator_links.values_list("evaluator_version__evaluator", flat=True),
        *by_run.values_list("evaluator_version__evaluator", flat=True),
    }


def require_margin(margin: float | None, field: str) -> None:
    """Raise `Invalid` unless the margin is above zero and at most `MOST_MARGIN`, or None."""
    if margin is not None and not 0 < margin <= MOST_MARGIN:
        message = f"A margin must be above 0 and at most {MOST_MARGIN:g}."
        raise Invalid("invalid", message, fields={field: [message]})


def require_tie(tie: float | None, field: str) -> None:
    """Raise `Invalid` unless the tie tolerance is from zero to `MOST_MARGIN`, or None."""
    if tie is not None and not 0 <= tie <= MOST_MARGIN:
        message = f"A tie tolerance must be from 0 to {MOST_MARGIN:g}."
        raise Invalid("invalid", message, fields={field: [message]})


def set_margins(experiment: Experiment, margins: Mapping[int, float | None]) -> None:
    """Set the smallest differences that matter, by evaluator id: None removes one, those not named stay."""
    for pk, margin in margins.items():
        require_margin(margin, f"margins/{pk}")
    experiment.margins = _set_by_evaluator(experiment, "margins", experiment.margins, margins)


def set_ties(experiment: Experiment, ties: Mapping[int, float | None]) -> None:
    """Set the largest differences that count as ties, by evaluator id: None is the usual one, those not named stay."""
    for pk, tie in ties.items():
        require_tie(tie, f"ties/{pk}")
    experiment.ties = _set_by_evaluator(experiment, "ties", experiment.ties, ties)


def set_differences(
    experiment: Experiment, margins: Mapping[int, float | None], ties: Mapping[int, float | None]
) -> None:
    """Set both, or neither if one is refused."""
    with transaction.atomic():
        set_margins(experiment, margins)
        set_ties(experiment, ties)


def _set_by_evaluator(
    experiment: Experiment, field: str, before: Mapping[str, float], changes: Mapping[int, float | None]
) -> dict[str, float]:
    """Store the changed numbers of a field and return all of them."""
    if unknown := changes.keys() - scored_by(experiment):
        raise _not_used(field, f"{min(unknown)}")
    changed = {str(pk): number for pk, number in changes.items()}
    numbers = {pk: number for pk, number in {**before, **changed}.items() if number is not None}
    audit.note(**{field: numbers})
    Experiment.objects.filter(pk=experiment.pk).update(**{field: numbers})
    return numbers


def _not_used(field: str, name: str) -> Invalid:
    message = f"The experiment has no scores by the evaluator {name}."
    return Invalid("unknown_evaluator", message, fields={field: [message]})


def use_dataset_version(
    experiment: Experiment, number: int | None = None, earlier: dict[str, Any] | None = None
) -> list[Run]:
    """Move the experiment to a version of its dataset, by default the newest; returns its runs, which are scored again.

    Outputs for edited examples stay if the inputs are unchanged. Other edited examples and added ones count nowhere
    until they are asked (`asked.py`). A worker copies the outputs before anything is scored. `Conflict` while a run is
    in progress, or outputs are read from a file or copied. `earlier` are the figures that go, as the page showed them.
    """
    with transaction.atomic():
        locked = (
            Experiment.objects.select_for_update(no_key=True).select_related("dataset").get(pk=experiment.pk)
        )
        _refuse_open_runs(locked)
        _refuse_copying(locked)
        number = version_of(locked.dataset, number).number if number else locked.dataset.version
        if locked.dataset_version == number:
            return []
        audit.note(dataset_version=number, before=locked.dataset_version)
        Experiment.objects.filter(pk=experiment.pk).update(dataset_version=number, earlier=earlier or {})
        experiment.refresh_from_db()
        edited_outputs.begin(experiment, locked.dataset_version)
        runs = [run for run in runs_of(experiment) if run.status not in UNSCORABLE]
        for run in runs:
            jobs.score_again(run)
        _drop_scores_of_deleted(experiment)
    return runs


def _drop_scores_of_deleted(experiment: Experiment) -> None:
    """Let deleted runs, if they are restored, wait to be resumed: their scores are of the earlier version."""
    for run in experiment.runs.exclude(deleted_at=None).exclude(status__in=UNSCORABLE):
        if jobs.score_again(run):
            jobs.cancel(run)


def delete(experiment: Experiment) -> None:
    """Mark the experiment as deleted. `Conflict` while one of its runs is in progress."""
    owned.delete(experiment, runs_of(experiment))


def _refuse_open_runs(experiment: Experiment) -> None:
    if runs_of(experiment).filter(status__in=Run.OPEN).exists():
        raise Conflict(
            "in_use", "A run of this experiment is in progress.", hint="Cancel it, or wait until it ends."
        )
    if Import.objects.filter(run__experiment=experiment).exclude(state=Import.State.DONE).exists():
        # Its rows are matched to the examples of the present version.
        raise Conflict("in_use", "A file of outputs is being read.", hint="Wait until it has been read.")


def _refuse_copying(experiment: Experiment) -> None:
    if edited_outputs.of_experiment(experiment):
        raise Conflict(
            "in_use", "Outputs of edited examples are being copied.", hint="Wait until all are copied."
        )
