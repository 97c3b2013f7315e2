"""The people whose scores came with a file, by the names of its columns: “Anna old” and “Ben old” are Anna and Ben."""

from collections.abc import Sequence

from evaluations.linear import Pattern
from evaluations.models import EvaluatorVersion, Experiment
from evaluations.statistics.wording import names, text

_WORD = Pattern(r"[\p{L}\p{N}]+")
MOST = 20  # raters that are named


def is_of_file(version: EvaluatorVersion) -> bool:
    """Whether an evaluator reads scores that came with the outputs."""
    return _path(version).startswith("$.scores")


def of(experiment: Experiment, version: EvaluatorVersion) -> str:
    """Such as "Anna and Ben"; empty unless several columns of the first file gave each variant this score."""
    stored = (experiment.first_file.get("mapping") or {}).get("scores") or []
    columns: dict[str, list[str]] = {}
    for name, variant, column, *_ in stored:
        if _path(version) in (f"$.scores.{name}", f'$.scores["{name}"]', f"$.scores['{name}']"):
            columns.setdefault(variant, []).append(column)
    found = {tuple(_apart(of_variant)) for of_variant in columns.values()}
    raters = found.pop() if len(found) == 1 else ()
    return text(names(raters)) if 1 < len(raters) <= MOST and all(raters) else ""


def _path(version: EvaluatorVersion) -> str:
    actual = version.mapping.get("actual") if version.kind == "value" else None
    return str(actual.get("path", "")) if isinstance(actual, dict) else ""


def _apart(columns: Sequence[str]) -> list[str]:
    """What sets the names of the columns of one variant apart, in order.

    >>> _apart(["Ben old", "Anna old"]), _apart(["v1_rater1", "v1_rater2"]), _apart(["rating"])
    (['Anna', 'Ben'], ['rater1', 'rater2'], [''])
    """
    words = [[found[0] for found in _WORD.finditer(column)] for column in columns]
    shared = set.intersection(*map(set, words))
    return sorted(" ".join(word for word in of_one if word not in shared) for of_one in words)
