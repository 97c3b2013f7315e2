"""Labels that come with the examples they are about: the label set that fits them, and the labels in it."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations import owned
from evaluations.errors import Invalid
from evaluations.kinds.people import MOST_LABELS, MOST_STEPS
from evaluations.models import Dataset, Evaluator, Run
from evaluations.numerals import grouped

from . import sent_labels, sets

Said = tuple[int, str, str | None]  # position, rater, label; None of a rater who was unsure


def keep(dataset: Dataset, column: str, run: Run, said: Sequence[Said]) -> None:
    """Make a label set, named like the column, with everybody's labels; every example of the run has some.

    Raises `Invalid` if what was said cannot be the answers of a label set.
    """
    words = {label for *_, label in said if label is not None and not _is_unsure(label)}
    settings = answers_of(column, words) | {"question": column[:300]}
    taken = Evaluator.objects.live().filter(project=dataset.project)
    name = owned.free_name(taken, owned.visible(column) or "labels", owned.numbered())
    label_set = sets.create(dataset.project, dataset.created_by, name, settings)
    labels: list[dict[str, Any]] = [
        {"position": position, "rater": rater} | ({"unsure": True} if _is_unsure(label) else {"value": label})
        for position, rater, label in said
    ]
    sent_labels.send(label_set, dataset.created_by, run, labels, is_random=True)


def _is_unsure(label: str | None) -> bool:
    return label is None or label.strip().lower() in ("", "unsure")


def answers_of(column: str, said: Iterable[str]) -> dict[str, Any]:
    """The settings of a label set with these answers: pass and fail, a scale of whole numbers, or words.

    >>> answers_of("ok", ["True", "false"]), answers_of("mark", ["5", "2"])
    ({'answers': 'pass_fail'}, {'answers': 'scale', 'minimum': 2.0, 'maximum': 5.0})
    >>> answers_of("mood", ["good", "Bad"])
    {'answers': 'labels', 'labels': 'bad, good'}
    """
    words = sorted({word.strip().lower() for word in said})
    if words and {sent_labels.WORDS.get(word, word) for word in words} <= {"pass", "fail"}:
        return {"answers": "pass_fail"}
    if not 2 <= len(words) <= MOST_LABELS or any("," in word or "=" in word for word in words):
        raise Invalid(
            "labels_do_not_fit",
            f"“{column[:80]}” has {grouped(len(words))} different labels, such as “{(words or [''])[0][:60]}”.",
            hint=f"A label set has two to {MOST_LABELS} answers without commas. If people wrote these texts as "
            "answers, import the raters as repetitions.",
        )
    numbers = [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 4]
    if len(numbers) == len(words) and max(numbers) - min(numbers) <= MOST_STEPS - 1:
        return {"answers": "scale", "minimum": float(min(numbers)), "maximum": float(max(numbers))}
    return {"answers": "labels", "labels": ", ".join(words)}


def too_many() -> dict[str, Any]:
    """The error of a file with more labels than can be stored at once."""
    return {
        "code": "too_many_labels",
        "message": f"The file has over {grouped(sent_labels.MOST)} labels.",
        "hint": "Split the file, or import examples first and send their labels to the label set in parts.",
    }
