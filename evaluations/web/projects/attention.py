"""What waits for a person on the front page of a project: each with what to do about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from evaluations.comparisons import overviews as known
from evaluations.comparisons.overviews import Overview
from evaluations.evaluators.recipe import Recipe
from evaluations.gates import lock, newest
from evaluations.kinds import CATALOGUE, JUDGES
from evaluations.launches import states
from evaluations.launches.going import Going
from evaluations.models import Evaluator, Experiment, GateCheck, Judging, Launch, Project, Run
from evaluations.numerals import grouped, plural
from evaluations.statistics.wording import Part
from evaluations.values import Status

MOST = 5  # of each kind
NOT_SENT = Status.NOT_SENT.word
# kinds that can call a server
MAY_WAIT = (*JUDGES, *(key for key, kind in CATALOGUE.items() if kind.needs_connection))


@dataclass(frozen=True)
class Item:
    """A sentence, and where the `action` is. `check` is that of a gate, `at` the time of what happened.

    `others` are older ones of the same kind, by name and address.
    """

    parts: Sequence[Part]
    address: str
    action: str
    check: GateCheck | None = None
    at: datetime | None = None
    has_failed: bool = False
    have_stopped: bool = False  # though some answers are there
    others: Sequence[tuple[str, str]] = ()


def of(project: Project, overviews: Sequence[Overview], found: dict[int, Going]) -> list[Item]:
    """Gates that did not pass, launches that failed or wait, judges that wait, and examples that were not asked.

    What is known of the experiments that the page lists anyway costs at most one query more; older ones are read where
    an evaluator scored them that can wait.
    """
    return [
        *_gates(project),
        *_pilots(found),
        *_failed(_without_answers(project)),
        *map(_stopped, _at_limit(project)),
        *_unpaid([*overviews, *_older(project, overviews)]),
        *_unanswered(overviews),
    ]


def _gates(project: Project) -> Iterator[Item]:
    recent = newest.recent(project)
    for check in newest.not_passed(project, recent, MOST):
        yield _gate(check, recent.get(check.gate_id, []))


def _gate(check: GateCheck, recent: Sequence[GateCheck]) -> Item:
    """What a gate did not pass, and of how many variants it said so lately, because another one may have passed."""
    parts: list[Part] = [("", "Gate "), ("name", check.gate.name), ("", " did not pass ")]
    why = ": the pipeline sent another hash" if lock.is_hash_alone(check.changes) else ""
    parts += [("name", check.run.variant), ("", f"{why}.")]
    if len(recent) > 1:
        passed = sum(one.verdict == "pass" for one in recent)
        of = f" Of the {grouped(len(recent))} variants it judged in the last {newest.RECENT.days} days"
        parts += [("", f"{of}, {grouped(passed) if passed else 'none'} passed.")]
    address = f"{reverse('gate-detail', args=[check.gate_id])}?check={check.pk}"
    return Item(parts, address, "Read the check", check, check.created_at)


def _pilots(found: dict[int, Going]) -> Iterator[Item]:
    for one in [one for one in found.values() if one.launch and one.waits][:MOST]:
        assert one.launch is not None
        variants = ", ".join({state.run.variant: None for state in one.run_states})
        parts: list[Part] = [
            ("", "The pilot of "),
            ("name", variants),
            ("", f" in {one.launch.experiment.name} is done."),
        ]
        yield Item(parts, reverse("launch-detail", args=[one.launch.pk]), "Continue or cancel")


def _at_limit(project: Project) -> list[Launch]:
    stopped = Launch.objects.filter(project=project, status=Launch.Status.LIMIT, experiment__deleted_at=None)
    is_left = Q(generations__run__deleted_at=None, generations__run__status=Run.Status.CANCELLED)
    return list(stopped.filter(is_left).select_related("experiment").distinct().order_by("-pk")[:MOST])


def _without_answers(project: Project) -> list[Launch]:
    """Launches that ended because too many answers failed, unless the experiment was launched again since."""
    live = Launch.objects.filter(project=project, status=Launch.Status.FAILED, experiment__deleted_at=None)
    later = Launch.objects.filter(experiment=OuterRef("experiment"), pk__gt=OuterRef("pk"))
    failed = live.filter(generations__run__deleted_at=None, generations__run__status=Run.Status.FAILED)
    return list(failed.exclude(Exists(later)).select_related("experiment").distinct().order_by("-pk")[:MOST])


def _failed(failed: list[Launch]) -> Iterator[Item]:
    """One line of those without an answer, and one of those that have some, of however many launches."""
    known = states.of_launches(failed)
    for is_stopped in (False, True):
        alike = [one for one in failed if (known[one.pk].shown == states.STOPPED) is is_stopped]
        if not alike:
            continue
        ended = f"stopped with {plural(known[alike[0].pk].answered, 'answer')}" if is_stopped else "failed"
        parts: list[Part] = [("", "Launch "), ("name", alike[0].experiment.name), ("", f" {ended}.")]
        address, *older = [reverse("launch-detail", args=[launch.pk]) for launch in alike]
        others = [(launch.experiment.name, page) for launch, page in zip(alike[1:], older, strict=True)]
        yield Item(
            parts,
            address,
            "Read why",
            at=alike[0].finished_at,
            has_failed=True,
            have_stopped=is_stopped,
            others=others,
        )


def _stopped(launch: Launch) -> Item:
    parts: list[Part] = [
        ("", "Launch "),
        ("name", launch.experiment.name),
        ("", " stopped at its limit."),
    ]
    return Item(parts, reverse("launch-detail", args=[launch.pk]), "Raise it", at=launch.finished_at)


def _older(project: Project, overviews: Sequence[Overview]) -> list[Overview]:
    """The newest experiments beyond those of the page in which an evaluator can wait."""
    listed = [overview.experiment.pk for overview in overviews]
    live = Experiment.objects.live().filter(project=project).exclude(pk__in=listed)
    scored = live.filter(runs__deleted_at=None, runs__scorings__evaluator_version__kind__in=MAY_WAIT)
    found = list(scored.select_related("dataset").distinct().order_by("-pk")[:MOST])
    return known.load(found) if found else []


def _unpaid(overviews: Sequence[Overview]) -> list[Item]:
    """Evaluators that call a server, and nobody said what they may spend on the rest of the answers."""
    left: dict[tuple[int, Evaluator], int] = {}
    since: dict[tuple[int, Evaluator], datetime | None] = {}
    runs: list[int] = []
    for overview in overviews:
        for run in overview.shown:
            for scoring in overview.scorings.get(run.pk, ()):
                number = (scoring.summary or {}).get("counts", {}).get(NOT_SENT, 0)
                if number and Recipe.from_version(scoring.evaluator_version).is_paid:
                    key = overview.experiment.pk, scoring.evaluator_version.evaluator
                    left[key] = left.get(key, 0) + number
                    since[key] = max(filter(None, (since.get(key), run.finished_at)), default=None)
                    runs.append(run.pk)
    if not left:
        return []
    reading = Judging.objects.filter(run__in=runs, status=Judging.Status.RUNNING)
    going = set(reading.values_list("run__experiment", "version__evaluator"))
    names = {overview.experiment.pk: overview.experiment.name for overview in overviews}
    waiting = [(key, number) for key, number in left.items() if (key[0], key[1].pk) not in going]
    return [_waits(key[0], names[key[0]], key[1], number, since[key]) for key, number in waiting[:MOST]]


def _waits(experiment_id: int, name: str, evaluator: Evaluator, number: int, at: datetime | None) -> Item:
    parts: list[Part] = [
        ("", "Evaluator "),
        ("evaluator", evaluator.name),
        ("", f" waits for money: {plural(number, 'answer')} of "),
        ("name", name),
        ("", " not scored."),
    ]
    address = reverse("experiment-evaluators", args=[experiment_id])
    return Item(parts, f"{address}?evaluator={evaluator.pk}", "What it would cost", at=at)


def _unanswered(overviews: Sequence[Overview]) -> Iterator[Item]:
    """Datasets that have more examples than the version of their newest experiment."""
    seen: set[int] = set()
    for overview in overviews:
        experiment, dataset = overview.experiment, overview.experiment.dataset
        if dataset.pk in seen or not overview.shown:
            continue
        seen.add(dataset.pk)
        more = dataset.example_count - overview.version_count
        if more > 0:
            parts: list[Part] = [
                ("", "Dataset "),
                ("name", dataset.name),
                ("", f" v{dataset.version} has {plural(more, 'more example')}, not answered in "),
                ("name", experiment.name),
                ("", "."),
            ]
            yield Item(parts, reverse("experiment-detail", args=[experiment.pk]), f"Use v{dataset.version}")
