"""The figures of a scoring as JSON."""

from dataclasses import fields

from evaluations.scoring.summaries import Figures
from evaluations.statistics.summary import SoFar, Summary


def names(cls: type) -> set[str]:
    return {field.name for field in fields(cls)}


def test_the_fields_of_figures_are_those_of_a_summary():
    assert Figures.__annotations__.keys() == names(Summary) | {"headline", "labels"}
    assert names(SoFar) == Figures.__required_keys__
