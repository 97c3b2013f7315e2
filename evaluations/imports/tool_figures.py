"""Compares the figures of another tool (its summary, its scores) with those computed here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evaluations import other_tools
from evaluations.experiments import experiments
from evaluations.models import Evaluator, Experiment, Run, Scoring
from evaluations.other_tools import Evaluation, Grader, OutsideScore, Score
from evaluations.scoring import summaries

TOLERANCE = 1e-6  # because a tool may sum floats in another order


@dataclass(frozen=True)
class Figures:
    """Figures over `n` answers with a score or verdict; None if unknown."""

    n: int | None = None
    mean: float | None = None
    pass_rate: float | None = None


@dataclass(frozen=True)
class Line:
    """One grader for one variant ("" for all). `is_equal` is None if the tool has no such figure."""

    variant: str
    grader: str
    evaluator: Evaluator | None
    tool_figures: Figures
    evalsite_figures: Figures
    is_equal: bool | None


def stored_source(
    evaluation: Evaluation, filename: str, by_grader: Mapping[str, Evaluator], runs: Iterable[Run]
) -> dict[str, Any]:
    """The source of an experiment as the JSON to store."""
    outside = {score.grader: score for score in other_tools.outside_scores(evaluation)}
    graders = [
        {
            "name": grader.name,
            "type": grader.type,
            "evaluator": by_grader[grader.name].pk if grader.name in by_grader else None,
            "has_equal_values": _has_equal_values(grader, outside.get(grader.name)),
            "why": grader.why,
            "failed": grader.failed,
        }
        for grader in evaluation.graders
    ]
    return {
        "tool": evaluation.tool,
        "version": evaluation.version,
        "filename": filename,
        "graders": graders,
        "figures": [asdict(figure) for figure in evaluation.figures],
        "scores": [asdict(line) for line in _of_file(evaluation)],
        "notes": evaluation.notes,
        "runs": [run.pk for run in runs],
    }


def _has_equal_values(grader: Grader, outside: OutsideScore | None) -> bool:
    """Whether means can be compared, and not only verdicts."""
    return not grader.formula.judges_only if grader.formula else bool(outside and outside.has_values)


@dataclass(frozen=True)
class _Scores:
    variant: str
    grader: str
    n: int
    mean: float | None
    pass_rate: float | None


def _of_file(evaluation: Evaluation) -> Iterator[_Scores]:
    """The scores in the file, summed by variant and grader, and over all variants."""
    by_variant = {
        variant.name: [answer for answers in variant.repetitions for answer in answers.values()]
        for variant in evaluation.variants
    }
    every = {"": [answer for answers in by_variant.values() for answer in answers]}
    for variant, answers in (by_variant | every).items():
        for grader in evaluation.graders:
            scores = [answer.scores[grader.name] for answer in answers if grader.name in answer.scores]
            yield _Scores(variant, grader.name, **asdict(_summed(scores)))


def _summed(scores: Iterable[Score]) -> Figures:
    graded = [score for score in scores if score.value is not None or score.passed is not None]
    return Figures(
        len(graded),
        _mean(score.value for score in graded if score.value is not None),
        _mean(float(score.passed) for score in graded if score.passed is not None),
    )


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None


# ---- comparison --------------------------------------------------------------------------------------------


def lines(experiment: Experiment) -> list[Line]:
    """The tool's figures beside those computed here; empty for an experiment that was not imported from a tool."""
    source = experiment.source
    if not source:
        return []
    graders = {grader["name"]: grader for grader in source["graders"]}
    ids = [grader["evaluator"] for grader in graders.values() if grader["evaluator"]]
    used = {evaluator.pk: evaluator for evaluator in Evaluator.objects.filter(pk__in=ids)}
    tool_figures = {(figure["variant"], figure["grader"]): _figures(figure) for figure in source["figures"]}
    scored = _scored(experiment)
    compared = []
    for score in source["scores"]:
        key = score["variant"], score["grader"]
        evaluator = used.get(graders[score["grader"]]["evaluator"])
        if not score["variant"] and key not in tool_figures:
            continue
        evalsite_figures = _figures(score)
        if evaluator:
            evalsite_figures = _evalsite_figures(
                scored, score["variant"], evaluator.pk, graders[score["grader"]], evalsite_figures
            )
        figures = tool_figures.get(key, Figures())
        compared.append(
            Line(*key, evaluator, figures, evalsite_figures, _is_equal(figures, evalsite_figures))
        )
    return compared


def is_going(experiment: Experiment) -> bool:
    return experiments.runs_of(experiment).filter(status__in=Run.OPEN).exists()


def _figures(stored: Mapping[str, Any]) -> Figures:
    return Figures(stored["n"], stored["mean"], stored["pass_rate"])


def _scored(experiment: Experiment) -> dict[tuple[int, int], tuple[Scoring, summaries.Figures]]:
    """The first scoring of each imported run by each evaluator, with its figures so far."""
    scorings = list(
        Scoring.objects.filter(run__in=experiment.source["runs"])
        .select_related("run", "evaluator_version")
        .order_by("-pk")
    )
    by_id = summaries.load_many(scorings)
    return {
        (scoring.run_id, scoring.evaluator_version.evaluator_id): (scoring, by_id[scoring.pk])
        for scoring in scorings
    }


def _evalsite_figures(
    scored: Mapping[tuple[int, int], tuple[Scoring, summaries.Figures]],
    variant: str,
    evaluator: int,
    grader: Mapping[str, Any],
    of_file: Figures,
) -> Figures:
    """The figures computed here over the repetitions of a variant, weighted by their numbers of scores.

    If no threshold separates a grader's passes from its failures, the file's verdicts are used. Failed answers count as
    in the tool: not at all, or as not passed.
    """
    chosen = [
        figures
        for (_, evaluator_id), (scoring, figures) in scored.items()
        if evaluator_id == evaluator and variant in ("", scoring.run.variant)
    ]
    failed = sum(f["counts"]["missing_actual"] for f in chosen) if grader.get("failed") else 0
    # Failed answers have no outside score, but a formula scores them as 0.
    counted = failed if grader["why"] else -failed
    n, judged = sum(f["n"] for f in chosen) + counted, sum(f["n_judged"] for f in chosen) + counted
    total = sum((f["mean"] or 0.0) * f["n"] for f in chosen)
    passed = sum(f["n_passed"] for f in chosen)
    mean = total / n if n and grader["has_equal_values"] else None
    return Figures(n, mean, passed / judged if judged else of_file.pass_rate)


def _is_equal(tool_figures: Figures, evalsite_figures: Figures) -> bool | None:
    pairs = [
        (tool_figures.n, evalsite_figures.n),
        (tool_figures.mean, evalsite_figures.mean),
        (tool_figures.pass_rate, evalsite_figures.pass_rate),
    ]
    comparable = [(first, second) for first, second in pairs if first is not None]
    if not comparable:
        return None
    return all(second is not None and abs(first - second) <= TOLERANCE for first, second in comparable)
