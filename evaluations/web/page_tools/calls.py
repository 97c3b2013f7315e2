"""Shell commands that call the API for the data or action of a page."""

from collections.abc import Sequence

from django.conf import settings

from evaluations.models import Experiment
from evaluations.models.dataset import ExampleQuerySet

from .request import HttpRequest


def curl(request: HttpRequest, address: str) -> str:
    """The command that fetches the data of a page."""
    return f'curl -H "Authorization: Bearer $EVALSITE_KEY" "{_address(request, address)}"'


def sending(request: HttpRequest, address: str, body: str) -> str:
    """The command that sends this JSON."""
    return f"""curl {_address(request, address)} \\
  -H "Authorization: Bearer $EVALSITE_KEY" -H "Content-Type: application/json" \\
  -d '{body}'"""


def _address(request: HttpRequest, of_api: str) -> str:
    return request.build_absolute_uri(f"{settings.PATH}{of_api}")


def first_upload_call(request: HttpRequest) -> str:
    """The command that creates a dataset."""
    address = _address(request, "/api/v1/datasets/")
    return f"""curl {address} \\
  -H "Authorization: Bearer $EVALSITE_KEY" \\
  -F file=@answers.csv -F name=faq"""


def outputs_call(request: HttpRequest, run: int) -> str:
    """The command that sends outputs to a run."""
    return sending(request, f"/api/v1/runs/{run}/outputs/", '{"outputs": [{"key": "k13", "output": "…"}]}')


def upload_call(request: HttpRequest, experiment: Experiment) -> str:
    """The command that adds a variant to an experiment."""
    address = _address(request, "/api/v1/runs/")
    mapping = '{"key": "id", "output": "answer"}'
    return (
        f'curl {address} \\\n  -H "Authorization: Bearer $EVALSITE_KEY" \\\n'
        f'  -F experiment={experiment.pk} \\\n  -F variant="terse" \\\n'
        f"  -F file=@answers.csv \\\n  -F 'mapping={mapping}'"
    )


def example_file(examples: ExampleQuerySet, columns: str, rows: Sequence[str]) -> str:
    """The lines of a file for the first examples: each has the key, or else the position, before these values."""
    first = list(examples.order_by("position").values_list("key", "position")[: len(rows)])
    by_key = bool(first) and all(key for key, _ in first)
    names = [key if by_key else position for key, position in first] or range(1, len(rows) + 1)
    lines = [f"{name},{values}" for name, values in zip(names, rows, strict=False)]
    return "\n".join([f"{'key' if by_key else 'position'},{columns}", *lines])
