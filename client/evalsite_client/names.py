"""Looks up ids by names."""

from collections.abc import Iterable, Sequence

from .answers import Kind
from .errors import Mistaken, Refused
from .transport import Query, Transport

Reference = int | str  # an id, or a name
COLLECTIONS: dict[Kind, str] = {
    "dataset": "datasets",
    "experiment": "experiments",
    "run": "runs",
    "launch": "launches",
}
MOST_LISTED = 10
FORBIDDEN = 403


def is_id(reference: Reference) -> bool:
    return isinstance(reference, int) or (reference.isascii() and reference.isdigit())


def id_of(transport: Transport, collection: str, reference: Reference, **filters: str) -> int:
    """The id of the only object with this name in a collection such as "experiments"."""
    if is_id(reference):
        return int(reference)
    named = list(transport.rows(f"{collection}/", {"name": str(reference), **filters}))
    if len(named) == 1:
        return int(named[0]["id"])
    if named:
        ids = ", ".join(str(match["id"]) for match in named[:MOST_LISTED])
        raise Mistaken(f"{len(named)} {collection} are named {reference!r}. Use one of the ids {ids}.")
    raise Mistaken(f"None of the {collection} is named {reference!r}.")


def id_to_wait_for(
    transport: Transport, kind: Kind, reference: Reference, experiment: Reference | None
) -> int:
    """The id of an object that may not be ready; within an experiment, a run may be given by its variant's name."""
    if kind == "run":
        return run_ids(transport, [reference], experiment, for_gate=True)[0]
    filters = {"status": "any"} if kind == "dataset" else {}
    return id_of(transport, COLLECTIONS[kind], reference, **filters)


def run_ids(
    transport: Transport,
    references: Iterable[Reference],
    experiment: Reference | None,
    *,
    for_gate: bool = False,
) -> list[int]:
    """The ids of runs; within an experiment, also of the newest run by its name.

    Of runs with one name, those of a variant come before those that were sent for a gate; `for_gate`, the newest.
    """
    within = None if experiment is None else id_of(transport, "experiments", experiment)
    return [_run_id(transport, reference, within, for_gate) for reference in references]


def _run_id(transport: Transport, reference: Reference, experiment: int | None, for_gate: bool) -> int:
    if experiment is None and not is_id(reference):
        raise Mistaken(f"{reference!r} is not the id of a run. To name variants, also give --experiment.")
    if experiment is None:
        return int(reference)
    named: Query = {"experiment": experiment, "variant": str(reference), "page_size": 1}
    newest = [] if for_gate else transport.get("runs/", {**named, "for_gate": "false"})["results"]
    newest = newest or transport.get("runs/", named)["results"]
    if newest:
        return int(newest[0]["id"])
    if is_id(reference):
        return int(reference)
    listed = {run["variant"]: 0 for run in transport.get("runs/", {"experiment": experiment})["results"]}
    known = f" It has {', '.join(list(listed)[:MOST_LISTED])}." if listed else ""
    raise Mistaken(f"The experiment has no variant named {reference!r}.{known}")


def evaluator_ids(transport: Transport, references: Iterable[Reference]) -> list[int]:
    """The ids of evaluators by id or name. A kind's key creates an evaluator with default settings, once."""
    return [_evaluator_id(transport, reference) for reference in references]


def _evaluator_id(transport: Transport, reference: Reference) -> int:
    if is_id(reference):
        return int(reference)
    kinds = {kind["key"]: kind["title"] for kind in transport.rows("evaluator-kinds/")}
    name = kinds.get(str(reference), reference)
    if name != reference and not list(transport.rows("evaluators/", {"name": str(name)})):
        return _created(transport, str(name), str(reference))
    return id_of(transport, "evaluators", name)


def _created(transport: Transport, name: str, kind: str) -> int:
    try:
        return int(transport.post("evaluators/", {"name": name, "kind": kind})["id"])
    except Refused as refusal:
        if refusal.status != FORBIDDEN:
            raise
        raise Mistaken(
            f"The project has no evaluator {name!r} yet, and this key cannot create it. Create it on the page "
            "Evaluators, or once with a key of the scope write."
        ) from refusal


def compared(runs: Sequence[int]) -> dict[str, str | None]:
    """The query parameters of a comparison; the first run is the baseline."""
    return {"runs": ",".join(map(str, dict.fromkeys(runs))), "baseline": str(runs[0])}
