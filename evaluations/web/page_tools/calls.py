"""Shell commands that call the API for the data or action of a page."""

import shlex
from collections.abc import Mapping, Sequence

from django.conf import settings

from evaluations.models import Experiment
from evaluations.models.dataset import ExampleQuerySet

from .request import AnyRequest


def curl(request: AnyRequest, address: str) -> str:
    """The command that fetches the data of a page."""
    return f'curl -H "Authorization: Bearer $EVALSITE_KEY" "{_address(request, address)}"'


def sending(request: AnyRequest, address: str, body: str, method: str = "POST") -> str:
    """The command that sends this JSON."""
    chosen = "" if method == "POST" else f"-X {method} "
    return f"""curl {chosen}{_address(request, address)} \\
  -H "Authorization: Bearer $EVALSITE_KEY" -H "Content-Type: application/json" \\
  -d {shlex.quote(body)}"""


def filing(
    request: AnyRequest, address: str, fields: Mapping[str, str] | None = None, file: str = "answers.csv"
) -> str:
    """The command that sends a file, with these fields of a form."""
    sent = [f"file=@{file}", *(f"{name}={value}" for name, value in (fields or {}).items())]
    lines = [f"curl {_address(request, address)}", '-H "Authorization: Bearer $EVALSITE_KEY"']
    return " \\\n  ".join([*lines, *(f"-F {shlex.quote(one)}" for one in sent)])


def _address(request: AnyRequest, of_api: str) -> str:
    return request.build_absolute_uri(f"{settings.PATH}{of_api}")


def first_upload_call(request: AnyRequest) -> str:
    """The command that creates a dataset."""
    return filing(request, "/api/v1/datasets/", {"name": "faq"})


def outputs_call(request: AnyRequest, run: int) -> str:
    """The command that sends outputs to a run."""
    return sending(request, f"/api/v1/runs/{run}/outputs/", '{"outputs": [{"key": "k13", "output": "…"}]}')


def upload_call(request: AnyRequest, experiment: Experiment) -> str:
    """The command that adds a variant to an experiment."""
    mapping = '{"key": "id", "output": "answer"}'
    fields = {"experiment": str(experiment.pk), "variant": "terse", "mapping": mapping}
    return filing(request, "/api/v1/runs/", fields)


def example_file(examples: ExampleQuerySet, columns: str, rows: Sequence[str]) -> str:
    """The lines of a file for the first examples: each has the key, or else the position, before these values."""
    first = list(examples.order_by("position").values_list("key", "position")[: len(rows)])
    by_key = bool(first) and all(key for key, _ in first)
    names = [key if by_key else position for key, position in first] or range(1, len(rows) + 1)
    lines = [f"{name},{values}" for name, values in zip(names, rows, strict=False)]
    return "\n".join([f"{'key' if by_key else 'position'},{columns}", *lines])
