"""The question that a launch of the bench's columns answers, proposed in words."""

from collections.abc import Sequence

from evaluations import owned
from evaluations.models import Experiment, Prompt
from evaluations.values import LONGEST_NAME


def question(prompt: Prompt, columns: Sequence[tuple[int, str]]) -> str:
    """What is asked of the columns, each a version and a model; no other experiment of the project has this name."""
    experiments = Experiment.objects.live().filter(project=prompt.project)
    return owned.free_name(experiments, words(prompt.name, columns), owned.numbered())


def words(name: str, columns: Sequence[tuple[int, str]]) -> str:
    """Versions are compared, or the models of one version.

    >>> words("Plain", [(2, "m"), (3, "m"), (4, "m")])
    'Which of Plain v2, v3 and v4 is better?'
    >>> words("Plain", [(2, "small"), (2, "large")])
    'Which of small and large is better for Plain v2?'
    >>> words("Plain", [(2, "small")])
    'How good is Plain v2?'
    """
    versions = [f"v{number}" for number in dict.fromkeys(number for number, _ in columns)]
    models = [model for model in dict.fromkeys(model for _, model in columns) if model]
    if len(versions) > 1:
        return _fitting(name, "Which of {} " + _listed(versions) + " is better?")
    if len(models) > 1:
        asked = f"Which of {_listed(models)} is better for "
        return _fitting(
            name,
            (asked if len(asked) < LONGEST_NAME / 2 else "Which model is better for ")
            + "{} "
            + f"{versions[0]}?",
        )
    return _fitting(name, "How good is {} " + f"{versions[0]}?")


def _fitting(name: str, asked: str) -> str:
    room = LONGEST_NAME - len(asked) - 4
    return asked.replace("{}", name if len(name) <= room else f"{name[:room].rstrip()}…")


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
