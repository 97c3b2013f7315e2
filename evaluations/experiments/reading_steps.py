"""Offers a reading step for answers that hold reasoning or fences, takes it in one call, and takes it back.

A step makes new versions of this experiment's evaluators, which score all its runs; other experiments and gates keep
the versions that they use.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Left

from evaluations import jsonpath
from evaluations.access import audit
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.evaluators import evaluators, formulas
from evaluations.evaluators.recipe import Recipe
from evaluations.fences import FENCES, fenced_blocks
from evaluations.kinds.advised_code import PERHAPS_FENCED
from evaluations.linear import Pattern
from evaluations.mapping.reading import MOST_STEPS
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.sources import Matched
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Output, Run, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.scoring import jobs

from . import experiments, reading_effects

STEPS = ("reasoning", "json", "code")
SEEN = 40  # positions of each run that are looked at
LOOKED = 2_000  # characters of an answer


JSON_BEGINS = Pattern(r'\s*(?:\{\s*["}]|\[\s*(?:["\[{\]\d-]|true|false|null))')  # not "[THOUGHT]"


class Found(NamedTuple):
    """Of the first answers of a run: how many were seen, begin with reasoning or a fence, are or wrap JSON."""

    seen: int = 0
    reasoning: int = 0
    fenced: int = 0
    structured: int = 0
    wrapped: int = 0


class Offer(NamedTuple):
    """A step, how many of the seen answers need it, the evaluators that would read by it, and what one would say."""

    step: str
    answers: int
    seen: int
    evaluators: list[Evaluator]
    effect: reading_effects.Effect | None = None

    @property
    def evaluator_ids(self) -> list[int]:
        return [evaluator.pk for evaluator in self.evaluators]


@dataclass(frozen=True)
class Taken:
    """The evaluators with their new versions, the numbers of the versions before, and the runs being scored."""

    versions: list[EvaluatorVersion]
    before: dict[int, int]
    runs: list[Run]

    @property
    def changes(self) -> list[dict[str, int]]:
        return [
            {
                "evaluator": version.evaluator_id,
                "version": version.number,
                "before": self.before[version.evaluator_id],
            }
            for version in self.versions
        ]

    @property
    def run_ids(self) -> list[int]:
        return [run.pk for run in self.runs]


def offers(experiment: Experiment, runs: Iterable[Run]) -> list[Offer]:
    """The steps that answers of these runs need, evaluators of the experiment lack, and scores may depend on."""
    answered = [run for run in runs if run.status not in experiments.UNSCORABLE]
    found = look(answered)
    counts = [(answers.seen, answers.reasoning, answers.fenced, answers.wrapped) for answers in found]
    seen, reasoning, fenced, wrapped = map(sum, zip(*counts, strict=True)) if counts else (0, 0, 0, 0)
    if not reasoning and not fenced and not wrapped:
        return []
    needed = {"reasoning": reasoning, "json": wrapped, "code": fenced if fenced == seen else 0}
    versions = experiments.versions_of(experiment)
    every = [
        (step, count, [version for version in versions if lacks(version, step)])
        for step, count in needed.items()
        if count
    ]
    found_offers = [
        Offer(step, count, seen, [version.evaluator for version in lacking], _effect(step, lacking, answered))
        for step, count, lacking in every
        if lacking
    ]
    useful = [offer for offer in found_offers if not (offer.effect and offer.effect.is_none)]
    opens_json = any(offer.step == "json" for offer in useful)  # the same fences, said once
    return [offer for offer in useful if not (offer.step == "code" and opens_json)]


def _effect(
    step: str, lacking: Sequence[EvaluatorVersion], runs: Sequence[Run]
) -> reading_effects.Effect | None:
    """What the first of the evaluators that say right or wrong would say."""
    for version in lacking:
        changed = _changed(version, step)
        effect = reading_effects.of(version, changed, runs, SEEN) if changed else None
        if effect:
            return effect
    return None


def look(runs: Iterable[Run]) -> list[Found]:
    """What the first answers of each run look like, without scoring anything."""
    keys = {run.pk: (run.pk, run.revision) for run in runs}
    missing = [pk for pk, key in keys.items() if seen_answers.get(key) is None]
    if missing:
        first = Output.objects.filter(run__in=missing, position__lte=SEEN, text__isnull=False)
        by_run: dict[int, list[str]] = {pk: [] for pk in missing}
        for pk, text in first.values_list("run_id", Left("text", LOOKED)):
            by_run[pk].append(text)
        for pk, answers in by_run.items():
            seen_answers.put(keys[pk], _counted(answers))
    return [seen_answers.get(key) or Found() for key in keys.values()]


def _counted(seen: Sequence[str]) -> Found:
    answers = [split_reasoning(text) for text in seen]
    return Found(
        len(seen),
        sum(bool(reasoning) for reasoning, _ in answers),
        sum(answer.lstrip().startswith(FENCES) for _, answer in answers),
        sum(JSON_BEGINS.match(answer) is not None for _, answer in answers),
        sum(any(JSON_BEGINS.match(inside) for _, inside in fenced_blocks(answer)) for _, answer in answers),
    )


seen_answers: ProcessCache[tuple[int, int], Found] = ProcessCache("answers seen", 2_000)


# ---- taking a step, and taking it back -----------------------------------------------------------------------


def take(experiment: Experiment, user: User | None, step: str) -> Taken:
    """Let the experiment's evaluators read by a step, and score its runs; `Invalid` if none of them could."""
    if step not in STEPS:
        message = f"It must be {', '.join(STEPS[:-1])} or {STEPS[-1]}."
        raise Invalid("invalid_choice", message, fields={"step": [message]})
    with transaction.atomic():
        Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
        old = [version for version in experiments.versions_of(experiment) if lacks(version, step)]
        if not old:
            raise Conflict("step_not_needed", "No evaluator of this experiment lacks this step.")
        changed = [
            evaluators.change(
                version.evaluator,
                user,
                config=version.config,
                mapping=_changed(version, step),
                kind_version=version.kind_version,
            )
            for version in old
        ]
        readers = _readers(experiment, old)
        changed += [evaluators.change(version.evaluator, user, config=_anew(version)) for version in readers]
        old += readers
        audit.note(step=step, evaluators=[evaluator.name for evaluator in changed])
        runs = experiments.add_evaluators(experiment, changed)
    return Taken(experiments.newest(changed), {version.evaluator_id: version.number for version in old}, runs)


def _readers(experiment: Experiment, changed: Sequence[EvaluatorVersion]) -> list[EvaluatorVersion]:
    """The formulas of the experiment that read one of these versions: they are to read the new ones."""
    keys = {version.pk for version in changed}
    return [
        version
        for version in experiments.versions_of(experiment)
        if any(source.pk in keys for source in formulas.read_by(version).values())
    ]


def _anew(version: EvaluatorVersion) -> dict[str, Any]:
    """The settings of a formula without its versions, so that it takes the newest."""
    return {name: value for name, value in version.config.items() if name != "sources"}


def take_back(experiment: Experiment, before: Mapping[int, int]) -> None:
    """Use earlier versions of evaluators again, by evaluator id, and remove the scores of newer ones.

    Raises `Conflict` while runs are scored, `NotFound` for an evaluator that is not used here, and `Invalid` for a
    version that the experiment could not have used.
    """
    with transaction.atomic():
        Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
        used = {version.evaluator_id: version for version in experiments.versions_of(experiment)}
        versions = [_earlier(used, pk, number) for pk, number in before.items()]
        runs = list(experiments.runs_of(experiment).select_for_update())
        if any(run.status in Run.OPEN for run in runs):
            raise Conflict("run_not_ended", "Runs are being scored. Take the step back when they are ready.")
        experiments.link(experiment, versions)
        for version in versions:
            newer = Scoring.objects.filter(run__in=runs, evaluator_version__evaluator=version.evaluator_id)
            newer.filter(evaluator_version__number__gt=version.number).delete()
        for run in experiments.scorable_runs(experiment):
            jobs.open_job(run, versions)
        audit.note(evaluators=[version.evaluator.name for version in versions])


def _earlier(used: Mapping[int, EvaluatorVersion], pk: int, number: int) -> EvaluatorVersion:
    if pk not in used:
        raise NotFound("not_found", f"This experiment has no evaluator {pk}.")
    versions = EvaluatorVersion.objects.select_related("evaluator__project")
    version = versions.filter(evaluator=pk, number=number, number__lte=used[pk].number).first()
    if version is None:
        message = f"This experiment cannot use version {number} of evaluator {pk}."
        raise Invalid("unknown_version", message, fields={"versions": [message]})
    return version


# ---- the mapping with a step ---------------------------------------------------------------------------------


def lacks(version: EvaluatorVersion, step: str) -> bool:
    """Whether an evaluator could read the outputs by this step and does not."""
    return _changed(version, step) is not None


def _changed(version: EvaluatorVersion, step: str) -> dict[str, Any] | None:
    """The mapping of a version with the step; None if it does not read the output, or reads it by this step already."""
    recipe = Recipe.from_version(version)
    if recipe.kind.is_derived:
        return None
    source = recipe.mapping.sources.get("actual")
    if not isinstance(source, Matched) or not source.path.plain or source.path.prefix[:1] not in OUTPUT:
        return None
    read = list(version.mapping.get("actual", {}).get("read") or [])
    inside = source.path.prefix[1:]
    if step in map(_name, read) or (step == ("code" if recipe.kind.reads_json else "json") and not inside):
        return None
    if step == "json" and getattr(recipe.parsed, "reads_fences", False):
        return None
    if step != "reasoning" and any(map(_reads_past_fences, read)):
        return None
    into = ["json", {"step": "path", "path": jsonpath.from_names(inside)}] if inside else []
    steps = _in_order(step, into, read)
    if len(steps) > MOST_STEPS:
        return None
    stored = version.mapping.get("actual", {})
    path = {"path": f"$.{source.path.prefix[0]}"} if inside or not stored.get("path") else {}
    mapping: dict[str, Any] = version.mapping | {"actual": stored | path | {"read": steps}}
    return mapping


def _reads_past_fences(step: Any) -> bool:
    is_all = isinstance(step, dict) and step.get("take") == "all"
    return is_all or step == PERHAPS_FENCED or _name(step) == "items"


OUTPUT = (("output",), ("actual",))


def _in_order(step: str, into: list[Any], read: list[Any]) -> list[Any]:
    """Reasoning first, then what opens the text, then what was read before."""
    if step == "reasoning":
        return [step, *into, *read]
    kept = 1 if read and _name(read[0]) == "reasoning" else 0
    return [*read[:kept], *(into or [step]), *read[kept:]]


def _name(step: Any) -> str:
    return str(step["step"] if isinstance(step, dict) else step)
