"""The call of the API for pages that show what one address of it answers, or whose form does what another does."""

import json
from dataclasses import dataclass, field
from typing import Any

from . import own_ids
from .calls import curl, filing, sending
from .request import AnyRequest


@dataclass(frozen=True)
class Sent:
    """A body of JSON."""

    address: str
    body: dict[str, Any]
    method: str = "POST"


@dataclass(frozen=True)
class Filed:
    """A file, with the fields of a form beside it."""

    address: str
    fields: dict[str, str] = field(default_factory=dict)
    file: str = "answers.csv"


# by the name of the page's address; what stands in braces is from that address
READ = {
    "home": "experiments/",
    "project-home": "experiments/",
    "project-list": "projects/current/",
    "project-detail": "projects/current/",
    "account": "keys/",
    "person-list": "members/",
    "audit": "audit/",
    "audit-site": "audit/",
    "share-list": "share-links/",
    "dataset-diff": "datasets/{pk}/diff/",
    "dataset-import": "datasets/{pk}/imports/{change}/",
    "dataset-trends": "datasets/{pk}/",
    "dataset-versions": "datasets/{pk}/versions/",
    "experiment-detail": "experiments/{pk}/",
    "experiment-source": "experiments/{pk}/source/",
    "run-repetitions": "runs/{pk}/",
    "run-statistics": "runs/{pk}/",
    "judging-tried": "judgings/{pk}/",
    "labelset-adjudications": "label-sets/{pk}/adjudications/",
    "trial-detail": "trials/{pk}/",
}
WITH_QUERY = {"dataset-diff"}  # whose parameters are the API's
MESSAGES = [{"role": "user", "content": "{{ question }}"}]
EXAMPLE = {"inputs": {"question": "What is 6 times 7?"}, "reference": {"answer": "42"}}
CRITERIA = [{"rule": "not_worse", "evaluator": 3, "margin": 0.02}]
SENT: dict[str, Sent | Filed] = {
    "experiment-create": Sent("experiments/", {"name": "Is v2 better?", "dataset": 12, "evaluators": [3]}),
    "experiment-money": Sent("experiments/{pk}/", {"budget_per_run": "0.50"}, "PATCH"),
    "gate-create": Sent("gates/", {"name": "ship", "baseline": 40, "criteria": CRITERIA}),
    "gate-change": Sent("gates/{pk}/", {"criteria": CRITERIA}, "PATCH"),
    "launch-create": Sent(
        "launches/",
        {
            "name": "Is v2 better?",
            "dataset": 12,
            "evaluators": [3],
            "variants": [{"prompt": 5}],
            "max_calls": 200,
        },
    ),
    "evaluator-create": Sent("evaluators/", {"name": "The number", "kind": "numeric_match"}),
    "prompt-create": Sent("prompts/", {"name": "solve", "messages": MESSAGES}),
    "prompt-bench": Sent(
        "prompts/{pk}/try/",
        {"variants": [{"version": 1}], "dataset": 12, "positions": [1, 3, 7]},
    ),
    "prompt-import": Filed("prompts/import/", file="prompt.yaml"),
    "experiment-evaluators": Sent("experiments/{pk}/evaluators/", {"evaluators": [3]}),
    "run-score": Sent("runs/{pk}/scorings/", {"evaluators": [3]}),
    "run-about": Sent("runs/{pk}/", {"about": {"model": "m-4", "temperature": 0}}, "PATCH"),
    "run-start": Sent("runs/{pk}/start/", {}),
    "ask-create": Sent("label-tasks/", {"label_set": 7, "runs": [40], "sample": {"size": 50}}),
    "labelset-labels": Sent(
        "label-sets/{pk}/labels/",
        {"run": 40, "labels": [{"key": "k13", "value": "pass", "rater": "Ann"}], "random": True},
    ),
    "dataset-upload": Filed("datasets/", {"name": "faq"}),
    "dataset-append": Filed("datasets/{pk}/upload/", {"mode": "append"}),
    "dataset-variants": Sent("runs/", {"experiment": 40, "variant": "terse", "column": "terse"}),
    "example-create": Sent("datasets/{pk}/examples/", {"examples": [EXAMPLE]}),
    "example-edit": Sent("datasets/{pk}/examples/{position}/", {"reference": EXAMPLE["reference"]}, "PATCH"),
    "example-bulk": Sent(
        "datasets/{pk}/examples/bulk/",
        {"select": {"keys": ["k13"]}, "do": "set", "column": "topic", "value": "prices"},
    ),
    "upload-columns": Filed("datasets/preview/"),
    "upload-waiting": Filed("datasets/preview/"),
    "upload-tool": Filed("datasets/", {"name": "faq"}, "export.json"),
    "variant-match": Filed("runs/", {"experiment": "{pk}", "variant": "terse"}),
}
# what the API has not, or has in another way, told above the call
NOTES = {
    "project-list": "A key of the API belongs to one project. This reads it.",
    "project-create": "A key of the API belongs to one project, so the API makes no further ones.",
    "account": "Keys are made here alone. This lists those of the key's project.",
    "factor-app": "The API has no part in signing in.",
    "person-list": "A key of the API belongs to one project. This reads its members.",
    "audit-site": "A key of the API belongs to one project. This reads its audit log.",
    "workers": "Keys of the API read one project. Programs that watch the site read /metrics.",
}


def of_page(request: AnyRequest, project: Any) -> dict[str, str]:
    """`api_call`, which reads what this page shows, or `api_post`, which does what its form does, and `api_note`.

    `project` is that of the page, or not true on a page without one.
    """
    match = request.resolver_match
    name = (match.url_name if match else None) or ""
    words = {name: str(value) for name, value in match.kwargs.items()} if match else {}
    found = {"api_note": NOTES[name]} if name in NOTES else {}
    if name in READ:
        query = f"?{request.GET.urlencode()}" if name in WITH_QUERY and request.GET else ""
        found["api_call"] = curl(request, f"/api/v1/{READ[name].format(**words)}{query}")
    elif name in SENT:
        found["api_post"] = _written(request, SENT[name], words, project)
    return found


def _written(request: AnyRequest, call: Sent | Filed, words: dict[str, str], project: Any) -> str:
    address = f"/api/v1/{call.address.format(**words)}"
    if isinstance(call, Filed):
        fields = {name: value.format(**words) for name, value in call.fields.items()}
        return filing(request, address, fields, call.file)
    body = own_ids.named(call.body, project, own_ids.experiment(request, words)) if project else call.body
    return sending(request, address, json.dumps(body, ensure_ascii=False), call.method)
