"""The call of the API for pages that show what one address of it answers, or whose form does what another does."""

import json
from typing import Any

from .calls import curl, sending
from .request import HttpRequest

# by the name of the page's address; what stands in braces is from that address
READ = {
    "project-home": "experiments/",
    "project-detail": "projects/current/",
    "audit": "audit/",
    "share-list": "share-links/",
    "dataset-diff": "datasets/{pk}/diff/",
    "dataset-versions": "datasets/{pk}/versions/",
    "labelset-adjudications": "label-sets/{pk}/adjudications/",
    "labeltask-rate": "label-tasks/{pk}/next/",
}
MESSAGES = [{"role": "user", "content": "{{ question }}"}]
SENT: dict[str, tuple[str, dict[str, Any]]] = {
    "experiment-create": ("experiments/", {"name": "Is v2 better?", "dataset": 12, "evaluators": [3]}),
    "gate-create": (
        "gates/",
        {"name": "ship", "baseline": 40, "criteria": [{"rule": "not_worse", "evaluator": 3, "margin": 0.02}]},
    ),
    "launch-create": (
        "launches/",
        {
            "name": "Is v2 better?",
            "dataset": 12,
            "evaluators": [3],
            "variants": [{"prompt": 5}],
            "max_calls": 200,
        },
    ),
    "evaluator-create": ("evaluators/", {"name": "The number", "kind": "numeric_match"}),
    "prompt-create": ("prompts/", {"name": "solve", "messages": MESSAGES}),
    "prompt-bench": (
        "prompts/{pk}/try/",
        {"variants": [{"version": 1}], "dataset": 12, "positions": [1, 3, 7]},
    ),
    "experiment-evaluators": ("experiments/{pk}/evaluators/", {"evaluators": [3]}),
    "run-score": ("runs/{pk}/scorings/", {"evaluators": [3]}),
    "ask-create": ("label-tasks/", {"label_set": 7, "runs": [40], "sample": {"size": 50}}),
}


def of_page(request: HttpRequest) -> dict[str, str]:
    """`api_call`, which reads what this page shows, or `api_post`, which does what its form does; else nothing."""
    match = request.resolver_match
    name = match.url_name if match else None
    if match and name in READ:
        return {"api_call": curl(request, f"/api/v1/{READ[name].format(**match.kwargs)}")}
    if match and name in SENT:
        address, body = SENT[name]
        written = json.dumps(body, ensure_ascii=False)
        return {"api_post": sending(request, f"/api/v1/{address.format(**match.kwargs)}", written)}
    return {}
