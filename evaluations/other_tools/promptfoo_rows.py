"""One result of promptfoo (prompt, answer, checks), for all versions of the format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.values import JSON, canonical_json

from .evaluation import as_object, as_objects, digest, number, whole
from .promptfoo_assertions import Assertion

Identity = tuple[str, str, float | None, int]


@dataclass(frozen=True)
class Check:
    """An assertion with its result."""

    assertion: Assertion
    value: float | None
    passed: bool | None


@dataclass(frozen=True)
class Row:
    """`test` is the index of the test in the run; 0 in versions that lack it.

    Results with the same `content` answer the same test. Checks are not part of it, because failed results have none.
    """

    prompt: int
    test: int
    content: bytes
    variables: dict[str, JSON]
    description: str
    output: JSON
    error: str | None
    latency_ms: int | None
    tokens: int | None
    score: float | None
    success: bool | None
    checks: dict[Identity, Check]


KEPT_FIELDS = (
    *("promptIdx", "testIdx", "vars", "provider", "description", "error", "latencyMs", "score", "success"),
    *("failureReason", "pass", "text", "tokenUsage"),
)


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """The imported fields of a result, or of an output in a table; any other object is returned unchanged."""
    if "gradingResult" not in value or not value.keys() & {"vars", "pass"}:
        return value
    prompt, response, test = (as_object(value.get(name)) for name in ("prompt", "response", "testCase"))
    components = _components(as_object(value["gradingResult"]))
    checks = [
        {name: component.get(name) for name in ("assertion", "score", "pass")} for component in components
    ]
    slimmed = {name: value[name] for name in KEPT_FIELDS if name in value} | {
        "prompt": {name: prompt[name] for name in ("id", "label", "display") if name in prompt},
        "response": {name: response[name] for name in ("output", "error", "tokenUsage") if name in response},
        "testCase": {name: test[name] for name in ("description", "assert") if name in test},
    }
    return slimmed | {"gradingResult": {"componentResults": checks} if value["gradingResult"] else None}


def read(source: dict[str, Any], prompt: int) -> Row:
    response, test = as_object(source.get("response")), as_object(source.get("testCase"))
    output: JSON = response.get("output")
    error = source.get("error") or response.get("error")
    variables = {name: value for name, value in as_object(source.get("vars")).items() if name[:1] != "_"}
    description = str(test.get("description") or source.get("description") or "")
    return Row(
        prompt=prompt,
        test=whole(source.get("testIdx")) or 0,
        content=digest([variables, description, test.get("assert")]),
        variables=variables,
        description=description,
        output=output,
        error=str(error) if output is None and error else None,
        latency_ms=whole(source.get("latencyMs")),
        tokens=whole(as_object(response.get("tokenUsage")).get("completion")),
        score=number(source.get("score")),
        success=verdict(source.get("success")),
        checks=_checks(as_object(source.get("gradingResult"))),
    )


def verdict(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _checks(grading: dict[str, Any]) -> dict[Identity, Check]:
    """The assertions by identity; a second one of a type in a test gets a slot of its own."""
    checks: dict[Identity, Check] = {}
    for component in _components(grading):
        slot = 1
        assertion = Assertion.read(component["assertion"], slot)
        while assertion.identity in checks:
            slot += 1
            assertion = Assertion.read(component["assertion"], slot)
        checks[assertion.identity] = Check(
            assertion, number(component.get("score")), verdict(component.get("pass"))
        )
    return checks


def _components(grading: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for component in as_objects(grading.get("componentResults")):
        if isinstance(component.get("assertion"), dict):
            yield component


def prompt_indices(
    rows: Sequence[dict[str, Any]], prompts: list[dict[str, Any]]
) -> tuple[list[int], list[dict[str, Any]]]:
    """For each result the index of its prompt, and all prompts.

    A result without an index is matched by label and provider: variables in its own text are already filled in.
    """
    indices_by_identity = {
        identity(prompt, prompt.get("provider")): index for index, prompt in enumerate(prompts)
    }
    indices = []
    for row in rows:
        index = whole(row.get("promptIdx"))
        if index is None:
            prompt, provider = as_object(row.get("prompt")), provider_name(row.get("provider"))
            index = indices_by_identity.setdefault(identity(prompt, provider), len(prompts))
            if index == len(prompts):
                prompts = [*prompts, {"label": label(prompt), "provider": provider}]
        indices.append(index)
    return indices, prompts


def identity(prompt: dict[str, Any], provider: Any) -> tuple[str, str]:
    return label(prompt), provider_name(provider)


def label(prompt: dict[str, Any]) -> str:
    return str(prompt.get("label") or prompt.get("display") or prompt.get("id") or "")


def provider_name(provider: Any) -> str:
    """The name of a provider, which is a name, or an object with a label and an id."""
    named = as_object(provider)
    return str(named.get("label") or named.get("id") or "") if named else str(provider or "")


def raw(prompt: dict[str, Any]) -> str:
    """The template of a prompt as text."""
    text = prompt.get("raw")
    return text if isinstance(text, str) else canonical_json(text) if text is not None else ""
