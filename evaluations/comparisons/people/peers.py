"""How far people agree with each other, in words."""

from evaluations.numerals import fixed, grouped, percent, plural
from evaluations.statistics.people.agreement import Agreement


def is_chance(peers: Agreement) -> bool:
    """Whether people agree no more than by chance, as far as their labels tell: κ may be 0."""
    interval = peers.kappa.interval
    return interval is not None and interval[0] <= 0


def in_short(peers: Agreement) -> str:
    """On how many of the answers that two of them saw they agree: “agree on 51 %, no more than by chance”."""
    said = f"agree on {percent(peers.raw.value, 0)}"
    return f"{said}, no more than by chance" if is_chance(peers) else said


def sentence(peers: Agreement | None) -> str:
    """How many answers people agree on, and what to do where that is no more than by chance."""
    if peers is None:
        return "No two people labelled the same answer, so nobody knows how far people agree."
    agreed = grouped(round(peers.agreed))
    said = f"People agree on {agreed} of {plural(peers.n, 'answer')} that two of them labelled"
    if is_chance(peers):
        return f"{said}, no more than by chance: sharpen the guideline."
    return said + ("." if peers.kappa.value is None else f" (κ {fixed(peers.kappa.value, 2)}).")
