"""The words behind the numbers of scores: labels of people, and sent scores with labels."""

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import PeopleConfig
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.value import numbered
from evaluations.models import EvaluatorVersion

Words = dict[float, str]


def of_version(version: EvaluatorVersion) -> Words:
    """The word of each number; empty for scores without words. Of words with one number, none is told."""
    config = Recipe.from_version(version).parsed
    if not isinstance(config, RecordedConfig) or not config.labels:
        return {}
    words = config.choices if isinstance(config, PeopleConfig) else numbered(config.labels)
    numbers = [*words.values()]
    return {number: word for word, number in words.items() if numbers.count(number) == 1}
