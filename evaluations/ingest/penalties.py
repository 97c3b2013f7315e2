"""Penalty points and lists of errors that reviewers give a translation or an answer: fewer are better.

A list of errors counts the weights of its severities: neutral 0, minor 1, major 5, critical 10, the default severity
multipliers of DQF-MQM (Lommel, Görög, Melby, Uszkoreit, Burchardt, Popović: "Harmonised Metric", QT21 deliverable 3.1,
2015). Points that errors have of their own count instead.
"""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from evaluations.values import JSON, opened_json

WORDS = {
    *("mqm", "penalty", "penalties", "demerit", "demerits", "deductions"),
    *("strafpunkte", "fehlerpunkte", "abzug", "abzuge", "penalite", "penalites", "penalizacion"),
    *("減点", "扣分", "감점"),
    *("penalizaciones", "penalidade", "penalidades", "penalita", "strafpunten"),
}
LISTS = {
    "errors",
    "error",
    "issues",
    "annotations",
    "fehler",
    "erreurs",
    "errores",
    "erros",
    "errori",
    "mqm",
    "fouten",
}
SEVERITY = (
    "severity",
    "gravedad",
    "gravite",
    "gravité",
    "schwere",
    "schweregrad",
    "gravidade",
    "gravita",
    "level",
)
POINTS = ("points", "penalty", "puntos", "punkte", "pontos", "punti", "weight")
WEIGHTS = {
    **dict.fromkeys(("neutral", "no-error", "none", "preferential"), 0.0),
    **dict.fromkeys(
        ("minor", "leve", "menor", "mineur", "mineure", "gering", "leicht", "minore", "low"), 1.0
    ),
    **dict.fromkeys(
        ("major", "grave", "mayor", "majeur", "majeure", "schwer", "maior", "maggiore", "high"), 5.0
    ),
    **dict.fromkeys(("critical", "critico", "crítico", "crítica", "critique", "kritisch", "critica"), 10.0),
}
COUNTED = {  # words in names of numbers of errors, of one severity or of all
    *(
        "mistakes",
        "minor",
        "major",
        "critical",
        "errors",
        "fehler",
        "fehleranzahl",
        "leicht",
        "leichte",
        "schwer",
    ),
    *(
        "schwere",
        "kritisch",
        "kritische",
        "erreurs",
        "mineures",
        "majeures",
        "critiques",
        "mineure",
        "majeure",
    ),
    *("errores", "leves", "graves", "menores", "mayores", "criticos", "erros", "errori", "gravi", "fouten"),
    *("誤り", "エラー", "错误", "错误数"),
}
OFTEN = 5  # one in so many answers has no error
PERCENT = 50  # from which the middle of some scores says that they are what is left of 100


def points(value: JSON) -> float | None:
    """The penalty of a list of errors, also as JSON; None of anything else.

    >>> points([{"severity": "Minor"}, {"severity": "major"}]), points('[{"gravedad": "grave"}]'), points([])
    (6.0, 5.0, 0.0)
    >>> points("fluent"), points([{"text": "Oslo"}]), points(3)
    (None, None, None)
    """
    errors = opened_json(value)
    if not isinstance(errors, list):
        return None
    found = [_points(error) for error in errors]
    known = [one for one in found if one is not None]
    return sum(known, 0.0) if len(known) == len(found) else None


def are_lists_of_errors(values: Iterable[JSON]) -> bool:
    """Whether all present values are lists of errors with severities, and some have one."""
    present = [opened_json(value) for value in values if value not in (None, "")]
    return any(present) and all(points(value) is not None for value in present)


def are_fewer_better(numbers: Sequence[float]) -> bool:
    """Whether penalty points are counted, and not taken off: neither below zero nor off 100.

    >>> are_fewer_better([0, 5, 1]), are_fewer_better([-5, 0]), are_fewer_better([98.5, 100])
    (True, False, False)
    """
    return bool(numbers) and min(numbers) >= 0 and median(numbers) < PERCENT


def are_counts(texts: Iterable[str]) -> bool:
    """Whether texts are whole numbers, zero often and more than one of them: no grades of a scale.

    >>> are_counts(["0", "2", "0", "1"]), are_counts(["3", "5", "4"]), are_counts(["0", "0"])
    (True, False, False)
    """
    said = [text.strip() for text in texts]
    return all(text.isdigit() for text in said) and len({*said}) > 1 and said.count("0") * OFTEN > len(said)


def _points(error: Any) -> float | None:
    if not isinstance(error, dict):
        return None
    fields = {name.casefold(): value for name, value in error.items()}
    severity = next((fields[name] for name in SEVERITY if isinstance(fields.get(name), str)), None)
    if severity is None:
        return None
    own = next((fields[name] for name in POINTS if isinstance(fields.get(name), int | float)), None)
    return float(own) if own is not None else WEIGHTS.get(severity.strip().casefold())
