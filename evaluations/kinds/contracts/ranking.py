"""The contract of retrieval; the reference is plain loops."""

from collections.abc import Callable
from math import log2
from typing import Any

from evaluations.kinds.contracts.contract import NULLS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, text
from evaluations.kinds.contracts.structures import opened
from evaluations.values import JSON


def retrieval(
    actual: JSON,
    expected: JSON,
    measure: str = "ndcg",
    k: int | None = 10,
    gain: str = "linear",
    threshold: float | None = None,
) -> Judgement:
    grades, ranked = opened(expected), _ids(opened(actual))[:k]
    grades = (
        {str(key): grade for key, grade in grades.items()}
        if isinstance(grades, dict)
        else dict.fromkeys(_ids(grades), 1)
    )
    if any(isinstance(grade, bool) or not isinstance(grade, int | float) for grade in grades.values()):
        raise NoScore("error")
    relevant = [item for item, grade in grades.items() if grade >= 1]
    if not relevant:
        raise NoScore("missing_expected")
    hits = [item in relevant for item in ranked]
    found = hits.count(True)
    powers = [
        2 ** grades.get(item, 0) - 1 if gain == "exponential" else grades.get(item, 0) for item in ranked
    ]
    best = sorted(
        (2**grade - 1 if gain == "exponential" else grade for grade in grades.values()), reverse=True
    )[:k]
    values: dict[str, Callable[[], float]] = {
        "recall": lambda: found / len(relevant),
        "precision": lambda: found / (k or len(ranked) or 1),
        "hit": lambda: float(found > 0),
        "mrr": lambda: 1 / (hits.index(True) + 1) if found else 0.0,
        "map": lambda: (
            sum(hits[: n + 1].count(True) / (n + 1) for n, hit in enumerate(hits) if hit) / len(relevant)
        ),
        "ndcg": lambda: (
            sum(power / log2(n + 2) for n, power in enumerate(powers))
            / sum(power / log2(n + 2) for n, power in enumerate(best))
        ),
    }
    return Judgement.reaching(values[measure](), threshold)


def _ids(value: Any) -> list[str]:
    items = value if isinstance(value, list) else text(value).splitlines()
    names = [text(item["id"] if isinstance(item, dict) and "id" in item else item).strip() for item in items]
    return [name for n, name in enumerate(names) if name and name not in names[:n]]


CONTRACTS = {
    "retrieval": Contract(
        reference=retrieval,
        reads_json=True,
        formula="Over the first k ids of the list: recall, relevant ones found by all relevant; precision, found "
        "by k; hit, "
        "whether any; mrr, one by the rank of the first; map, the mean precision at each found, by all "
        "relevant; ndcg, the "
        "sum of gains by log₂(rank + 1), divided by that of the best order.",
        edge_cases=(
            NULLS,
            "The output is a list, a JSON text of one, or an id a line; objects count by their member id. Of "
            "equal ids the "
            "first counts.",
            "The reference is a list of relevant ids, or an object with the grade of each, from 0 to 100; "
            "grades of at "
            "least 1 are relevant. If none is, the example has no reference (missing_expected).",
            "Grades that are no numbers are an error (invalid_grades).",
            TOO_LONG,
        ),
        golden=(
            Vector(["a", "b", "c"], ["a", "c"], 1.5 / (1 + 1 / log2(3)), why="(1 + 1/2) / (1 + 1/log₂3)"),
            Vector(["a", "b", "c"], ["a", "c", "d"], 2 / 3, None, {"measure": "recall"}),
            Vector(["a", "b", "c"], ["a", "c"], 0.2, None, {"measure": "precision"}, why="2 of the first 10"),
            Vector(["a", "b", "c"], ["a", "c"], 2 / 3, None, {"measure": "precision", "k": None}),
            Vector(["b", "a"], ["a"], 0.5, None, {"measure": "mrr"}),
            Vector(["b", "a", "c"], ["a", "c"], 7 / 12, None, {"measure": "map"}, why="(1/2 + 2/3) / 2"),
            Vector(["b", "a"], ["a"], 0.0, False, {"measure": "hit", "k": 1, "threshold": 1.0}),
            Vector(
                ["b", "a"],
                {"a": 2, "b": 1},
                (1 + 3 / log2(3)) / (3 + 1 / log2(3)),
                None,
                {"gain": "exponential"},
            ),
            Vector("b\na\n", '["a"]', 1 / log2(3), why="a is second"),
            Vector([{"id": 7}], [7], 1.0),
            Vector(["a"], ["a"], 1.0, True, {"measure": "hit", "threshold": 1.0}),
            Vector([], ["a"], 0.0),
            Vector(["a"], [], None, status="missing_expected"),
            Vector(["a"], {"a": "high"}, None, status="error"),
        ),
    ),
}
