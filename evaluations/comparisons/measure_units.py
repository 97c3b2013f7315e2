"""In which units people read what answers cost and how long they took: on pages, in reports and in workbooks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluations.numerals import fixed, rounded
from evaluations.statistics.wording import names, text


@dataclass(frozen=True)
class Unit:
    """The name of a measure, its unit, the factor for its stored values, and `words` around a difference."""

    name: str
    unit: str
    factor: float
    words: str

    @property
    def title(self) -> str:
        return f"{self.name}, {self.unit}"

    def written(self, mean: float | None) -> str:
        """A stored mean in this unit."""
        return fixed(None) if mean is None else rounded(mean * self.factor)


def units(currency: str) -> Mapping[str, Unit]:
    """By the name of their measure, in the order in which they are shown."""
    return {
        "cost": Unit(
            "Cost", f"{currency} per 1 000 answers", 1_000.0, f"costs {{}} {currency} {{}} per 1 000 answers"
        ),
        "latency": Unit("Latency", "mean, in seconds", 1e-3, "takes {} s {} an answer"),
        "tokens": Unit("Tokens", "mean of an answer", 1.0, "has {} tokens {}"),
        "prompt_tokens": Unit("Prompt tokens", "mean of a prompt", 1.0, "is asked with {} tokens {}"),
    }


def title(shown: Iterable[Unit]) -> str:
    """What a part of a page about these measures is called.

    >>> title(units("USD")[name] for name in ("cost", "latency", "tokens"))
    'Cost, latency and tokens'
    """
    first, *others = (unit.name for unit in shown)
    return text(names([first, *map(str.lower, others)]))
