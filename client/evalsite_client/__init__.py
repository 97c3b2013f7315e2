"""The Python client of Evalsite; `Client` has the verbs of the command line.

from evalsite_client import Client

with Client() as site:  # EVALSITE_URL and EVALSITE_KEY, or what `evalsite login` stored
    dataset = site.upload("answers.csv", outputs={"v1": "v1", "v2": "v2"}, evaluators=["exact_match"])
    first, second = site.experiment(dataset["experiment"])["runs"]
    print(site.compare(first["id"], second["id"])["sentence"])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import Client as Client

from .errors import EvalsiteError, Mistaken, NotConfigured, Refused, TimedOut, Unfinished, Unreachable
from .examples import Example
from .outputs import Output
from .scorers import Score, Scorer, scorer

__version__ = "0.1.0"
__all__ = [
    "Client",
    "EvalsiteError",
    "Example",
    "Mistaken",
    "NotConfigured",
    "Output",
    "Refused",
    "Score",
    "Scorer",
    "TimedOut",
    "Unfinished",
    "Unreachable",
    "scorer",
]


def __getattr__(name: str) -> Any:
    """`Client` is imported when it is first named, so that `evalsite --version` does not wait for HTTP and TLS."""
    if name == "Client":
        return import_module(".client", __name__).Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
