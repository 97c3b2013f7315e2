"""References to another project in optional fields of a call get 404, and nothing changes.

The calls of the table have only required fields; these are the optional parameters and fields.
"""

import json
from typing import Any

import pytest
from django.core.cache import cache

from .calls import GATE, LAUNCH, Call
from .test_matrix import Answer, all_rows, traces
from .world import Principal

RUNS = "runs={run},{other_run}"
COMPARISONS = ("", "agreement/", "corpus/", "examples/", "export/", "report/", "scatter/", "slices/")
OF_EVALUATORS = (
    *(
        f"comparisons/{part}/?{RUNS}&evaluator"
        for part in ("agreement", "corpus", "examples", "scatter", "slices")
    ),
    *(f"datasets/{{experiment_dataset}}/{query}" for query in ("trend/?evaluator", "systems/?against")),
    "datasets/{experiment_dataset}/leaderboard/?evaluator",
    *(f"runs/{{run}}/{part}/?evaluator" for part in ("results", "export", "thresholds")),
)
JUDGE = {"kind": "semantic_similarity", "config": {"connection": "{foreign_connection}", "model": "m"}}
VARIANTS = [{"prompt": "{prompt}", "model": "m", "name": "new"}]
LAUNCHED = {"experiment": "{experiment}", "variants": VARIANTS}
TRIED = {"variants": [{"model": "m"}], "dataset": "{dataset}", "positions": [1]}
WORST = {"run": "{run}", "evaluator": "{used_evaluator}", "size": 1}
GATED = {"name": "Held", "baseline": "{run}"}
CRITERIA = {"criteria": [{"evaluator": "{foreign_used_evaluator}", "rule": "better"}]}
SPLIT = {"split": "{foreign_split}"}
MOVED = {"do": "split", "split": "{split}", "action": "add"}

API: list[tuple[str, str, Any]] = [
    *(("GET", f"comparisons/{part}?{RUNS}&baseline={{foreign_run}}", None) for part in COMPARISONS),
    *(("GET", f"comparisons/{part}?{RUNS}&split={{foreign_split}}", None) for part in COMPARISONS),
    *(("GET", f"{query}={{foreign_used_evaluator}}", None) for query in OF_EVALUATORS),
    ("GET", "comparisons/?runs={run},{foreign_run}", None),
    ("GET", "datasets/{dataset}/examples/?split={foreign_split}", None),
    ("GET", "datasets/{dataset}/export/?split={foreign_split}", None),
    ("POST", "datasets/{dataset}/examples/bulk/", MOVED | {"select": SPLIT | {"all": True}}),
    ("POST", "score/", JUDGE | {"items": [{"actual": "a", "expected": "a"}]}),
    (
        "POST",
        "experiments/",
        {"name": "Why?", "dataset": "{dataset}", "evaluators": ["{evaluator}", "{foreign_evaluator}"]},
    ),
    ("PATCH", "experiments/{experiment}/", {"primary": "{foreign_used_evaluator}"}),
    ("POST", "gates/", GATED | CRITERIA),
    ("POST", "gates/", GATED | SPLIT | {"criteria": [{"rule": "examples", "value": 1}]}),
    ("PATCH", "gates/{gate}/", CRITERIA),
    ("PATCH", "gates/{gate}/", SPLIT),
    ("POST", "launches/", LAUNCHED | SPLIT),
    ("POST", "launches/", LAUNCHED | {"evaluators": ["{foreign_evaluator}"]}),
    ("POST", "launches/", LAUNCHED | {"variants": [{"prompt": "{foreign_prompt}", "model": "m"}]}),
    ("POST", "launches/", {"name": "Why?", "dataset": "{foreign_dataset}", "variants": VARIANTS}),
    ("POST", "prompts/{prompt}/versions/", {"model": "m", "connection": "{foreign_connection}"}),
    ("POST", "prompts/{prompt}/try/", TRIED | {"evaluators": ["{foreign_evaluator}"]}),
    ("POST", "prompts/{prompt}/try/", {"variants": [{}], "worst": WORST | {"run": "{foreign_run}"}}),
    (
        "POST",
        "prompts/{prompt}/try/",
        {"variants": [{}], "worst": WORST | {"evaluator": "{foreign_used_evaluator}"}},
    ),
    ("POST", "runs/", SPLIT | {"experiment": "{experiment}", "variant": "v9"}),
]
PAGES: list[tuple[str, str, Any]] = [
    *(
        ("GET", f"{page}={{foreign_used_evaluator}}", None)
        for page in (
            "/experiments/{experiment}/?evaluator",
            "/datasets/{experiment_dataset}/trends/?evaluator",
            "/runs/{run}/?evaluator",
            "/runs/{run}/thresholds/?evaluator",
        )
    ),
    *(
        ("GET", f"{page}={{foreign_split}}", None)
        for page in (
            f"/compare/?{RUNS}&split",
            f"/compare/report/?{RUNS}&split",
            "/experiments/{experiment}/?split",
            "/datasets/{dataset}/?split",
        )
    ),
    ("GET", f"/compare/?{RUNS}&baseline={{foreign_run}}", None),
    ("GET", "/compare/?runs={run},{foreign_run}", None),
    ("GET", "/experiments/{experiment}/?baseline={foreign_run}", None),
    ("GET", "/p/{slug}/launches/new/?prompt={foreign_prompt}&experiment={experiment}", None),
    ("GET", "/p/{slug}/gates/new/?experiment={foreign_experiment}", None),
    ("GET", "/p/{slug}/experiments/new/?dataset={foreign_dataset}", None),
    ("GET", "/prompts/{prompt}/bench/?trial={foreign_trial}", None),
    ("GET", "/gates/{gate}/?check={foreign_gate_check}", None),
    ("POST", "/p/{slug}/gates/new/?experiment={experiment}", GATE | SPLIT | {"name": "Held"}),
    (
        "POST",
        "/p/{slug}/gates/new/?experiment={experiment}",
        GATE | {"name": "Held", "1-rule": "better", "1-evaluator": "{foreign_used_evaluator}"},
    ),
    ("POST", "/p/{slug}/launches/new/", LAUNCH | SPLIT),
    *(
        ("POST", page, fields | {"evaluators": "evaluator:{foreign_evaluator}"})
        for page, fields in (
            ("/p/{slug}/launches/new/", LAUNCH),
            ("/runs/{run}/score/", {}),
            ("/experiments/{experiment}/evaluators/", {}),
        )
    ),
]


def faults(
    call: Call, principal: Principal, objects: dict[str, Any], rows: dict[str, list[Any]]
) -> list[str]:
    """What is wrong with the answer. A page may show its objects, without those of the other project."""
    cache.clear()
    answer = Answer(call.send(principal.client(), objects, principal.headers), call.known_texts(objects))
    allowed = ("400", "404", "ok") if call.method == "GET" and not call.is_api else ("400", "404")
    wrong = [f"shows {trace}" for trace in traces(answer, principal, call)]
    wrong += [] if answer.code in allowed else [f"answers {answer.code}"]
    return wrong + (["changes something"] if all_rows() != rows else [])


@pytest.mark.long
@pytest.mark.parametrize(
    ("principal_name", "route", "calls"), [("project admin", "page", PAGES), ("admin key", "api-call", API)]
)
def test_a_foreign_object_in_an_optional_field_is_404(world, principal_name, route, calls):
    [principal] = [principal for principal in world.everybody if principal.name == principal_name]
    objects = world.of_alice | {f"foreign_{name}": target for name, target in world.foreign.items()}
    rows = all_rows()

    wrong = [
        f"{method} {path} {json.dumps(body)} {fault}"
        for method, path, body in calls
        for fault in faults(Call(route, method, path, body), principal, objects, rows)
    ]

    assert not wrong, "\n".join(wrong)
