"""What people say of one run: from their labels, helped by an evaluator that is checked against them.

For a run that nobody labelled, its pass rate can be corrected by a judge's errors on other runs. That is transferred,
and never a verdict: the judge may err otherwise on these answers.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluations.errors import Invalid
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import people
from evaluations.labelling import facts, parts, sets
from evaluations.models import Evaluator, EvaluatorVersion, Opening, Run, Scoring
from evaluations.numerals import fixed, percent
from evaluations.scoring import summaries
from evaluations.statistics.people import scales, strata, transferred
from evaluations.statistics.people.strata import Helped, Sample, Stratum
from evaluations.statistics.terms import Interval

from .comparison import Comparison
from .figures import helped
from .figures.label_columns import LabelColumns
from .people import held, passports
from .people.passports import Passport

FEWEST = helped.FEWEST  # labels, below which they are counted and an interval is nothing to rely on
REACH = 0.05  # half of an interval, as a share of the scale, that is worth asking for


@dataclass(frozen=True)
class Transferred:
    """The pass rate of answers without labels, corrected by a judge's errors on `labels` sealed labels of others."""

    value: float
    interval: Interval
    labels: int


@dataclass(frozen=True)
class Opinion:
    """The mean of a label set on a run, on a scale of width `span` from `low`.

    `alone` is that of the labels, `helped` with what the `helper` says of all answers; None where nothing helps. Of a
    run without labels only `transferred` is known. `judged` is the mean of what the helper says. `unsure` answers were
    seen only by people who were not sure, and do not count. `parts` are those of a weighed sample, drawn from a
    `population` if not from all.
    """

    run: Run
    version: EvaluatorVersion
    helper: EvaluatorVersion | None
    low: float
    span: float
    is_share: bool
    alone: Helped | None = None
    helped: Helped | None = None
    transferred: Transferred | None = None
    judged: float | None = None
    unsure: int = 0
    parts: Sequence[Stratum] = ()
    population: str = ""

    @property
    def label_set(self) -> Evaluator:
        return self.version.evaluator

    @property
    def found(self) -> Helped | None:
        """The estimate that counts."""
        return self.helped or self.alone

    @property
    def is_counted(self) -> bool:
        """Whether there are labels enough for an interval to rely on."""
        return self.found is not None and self.found.labels >= FEWEST

    @property
    def sentence(self) -> str:
        """What people say, in a sentence."""
        name = f"{self.run.variant} ({self.population})" if self.population else self.run.variant
        written: Callable[[float | None], str] = percent if self.is_share else fixed
        if self.found is not None:
            what = (
                f"pass {written(self.found.value)} of the answers of {name}"
                if self.is_share
                else f"give {written(self.found.value)} to the answers of {name}"
            )
            low, high = self.found.interval
            return f"People {what}" + (f" ({written(low)} to {written(high)})." if self.is_counted else ".")
        if self.transferred is None:
            return f"No label of {name} counts yet."
        low, high = self.transferred.interval
        return (
            f"Nobody labelled answers of {name}. Corrected by what {self.helper} got wrong on other runs, people would "
            f"pass {percent(self.transferred.value)} of them ({percent(low)} to {percent(high)})."
        )

    @property
    def more(self) -> int | None:
        """How many more labels make half of the interval `REACH` of the scale; 0 if it is, None if all do not."""
        if self.found is None:
            return None
        low, high = self.found.interval
        needed = math.ceil(self.found.labels * ((high - low) / 2 / (REACH * self.span)) ** 2)
        return max(0, needed - self.found.labels) if needed <= self.found.judged else None


def of(run: Run, id_or_name: str = "", *, is_helped: bool = True) -> list[Opinion]:
    """One for each label set with something to say about a run, those with labels of it first.

    With an id or a name that of one set; raises `Invalid` where it has none.
    """
    found = sorted(_every(run, is_helped=is_helped), key=lambda opinion: opinion.transferred is not None)
    if not id_or_name:
        return found
    chosen = by_id_or_name([opinion.label_set for opinion in found], id_or_name)
    if chosen is None:
        message = f"Nobody labelled answers of {run.variant} by “{id_or_name[:200]}”."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})
    return [opinion for opinion in found if opinion.label_set == chosen]


def _every(run: Run, *, is_helped: bool) -> Iterator[Opinion]:
    comparison = Comparison([run], run)
    versions = [comparison.evaluators.scoring(one.pk).evaluator_version for one in comparison.evaluators]
    labelled = [version for version in versions if version.kind == people.key]
    for version in labelled:
        config = sets.config_of(version)
        if config.has_means and config.answers != "pair" and config.purpose != "reading":
            yield _labelled(comparison, version, is_helped=is_helped)
    sets_here = [version.evaluator_id for version in labelled]
    opened = Opening.objects.filter(version__in=versions, label_set__deleted_at=None)
    elsewhere = opened.exclude(label_set__in=sets_here).select_related("version__evaluator", "label_set")
    judges: dict[Evaluator, EvaluatorVersion] = {}
    for opening in elsewhere.order_by("pk"):
        judges.setdefault(opening.label_set, opening.version)
    for label_set, judge in judges.items():
        yield from _unlabelled(comparison, label_set, judge)


def _labelled(comparison: Comparison, version: EvaluatorVersion, *, is_helped: bool) -> Opinion:
    config, evaluators = sets.config_of(version), comparison.evaluators
    label_set, run = version.evaluator, comparison.sides.baseline.run

    def columns(helper: EvaluatorVersion | None) -> LabelColumns:
        return LabelColumns.read(evaluators.scales, comparison.aligner, version, helper)

    is_weighted = config.purpose == "weighted"
    helper = helped.helper_of(evaluators, label_set) if is_helped and not is_weighted else None
    read = columns(helper)
    sample = read.of_side(0)
    found = (scales if read.are_graded else strata).estimate(sample) if helper else None
    if found is None or found.labels < FEWEST:
        helper, found = None, None
        sample = columns(None).of_side(0)
    judged = sample.judged[np.isfinite(sample.judged)]
    alone = _alone(sample, evaluators.scoring(label_set.pk), is_all=helper is None and not is_weighted)
    said = facts.of_run(version, run).values()
    return Opinion(
        run,
        version,
        helper,
        read.worst,
        read.best - read.worst,
        config.is_pass_fail,
        alone=alone,
        helped=found,
        judged=float(judged.mean()) if helper else None,
        unsure=sum(all(fact.is_unsure for fact in given) for given in said),
        parts=alone.strata if alone and is_weighted else (),
        population=_population(version, run) if is_weighted else "",
    )


def _population(version: EvaluatorVersion, run: Run) -> str:
    """Which examples the tasks about a run drew from, in words; empty if one drew from all."""
    found = [task.population for task in parts.tasks_of(version, [run])]
    return "" if "" in found else "; ".join(dict.fromkeys(found))


def _alone(sample: Sample, scoring: Scoring, *, is_all: bool) -> Helped | None:
    """The mean of the labels; if all of them count and nothing else, with the interval that the page of the run has."""
    found, summary = strata.estimate(sample.without_judge()), scoring.summary
    if found is None or not is_all or sample.known is not None or summary is None:
        return found
    _, interval = summaries.compared(summary, Recipe.from_version(scoring.evaluator_version))
    return replace(found, interval=interval, alone=interval) if interval else found


# ---- a run without labels ----------------------------------------------------------------------------------------


def _unlabelled(comparison: Comparison, label_set: Evaluator, judge: EvaluatorVersion) -> Iterator[Opinion]:
    version = sets.newest_of(label_set)
    if not sets.config_of(version).is_pass_fail or not held.fits(judge, label_set):
        return
    scoring = comparison.evaluators.scoring(judge.evaluator_id)
    column = comparison.aligner.slots([scoring])[scoring.pk]
    verdicts = column.passed[column.passed >= 0] == 1
    found = _transferred(int(verdicts.sum()), len(verdicts), passports.of(judge, label_set))
    if found:
        run, passes = comparison.sides.baseline.run, float(verdicts.mean())
        yield Opinion(run, version, judge, 0.0, 1.0, is_share=True, transferred=found, judged=passes)


def _transferred(passes: int, n: int, passport: Passport) -> Transferred | None:
    if passport.sealed is None or not n:
        return None
    failed, passed = passport.sealed.rates  # by rising value
    errors = transferred.Errors(passed.of, passed.count, failed.of, failed.count)
    found = transferred.transferred(passes, n, errors)
    return Transferred(*found, round(failed.of + passed.of)) if found else None
