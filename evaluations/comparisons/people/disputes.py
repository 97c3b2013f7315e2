"""The answers on which an evaluator and people differ, of labels that are not sealed: rubrics are mended by them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluations.labelling import sealing
from evaluations.models import Example, Label, Output, Run
from evaluations.values import JSON, output_value

from .held import Held
from .labels import NONE

MOST = 20


@dataclass(frozen=True)
class Dispute:
    """One answer: `people` and `judge` name classes, `score` is the evaluator's, `note` what a rater wrote."""

    run: Run
    position: int
    key: str
    output: JSON
    people: str
    judge: str
    score: float
    note: str


@dataclass(frozen=True)
class Disputes:
    """The first of `total` disputes, the surest of the evaluator first."""

    shown: list[Dispute]
    total: int


def of(found: Held) -> Disputes:
    labels, classes = found.labelled.labels, found.labelled.classes
    codes = classes.codes(labels.value)
    is_open = found.in_part(sealing.WRITE, sealing.TUNE)
    differs = np.flatnonzero(is_open & (found.codes != NONE) & (codes != NONE) & (found.codes != codes))
    _, first = np.unique(labels.answer[differs], return_index=True)
    chosen = differs[first]
    middle = float(np.nanmedian(found.scores)) if len(found.scores) else 0.0
    surest = chosen[np.argsort(-np.abs(found.scores[chosen] - middle), kind="stable")]
    return Disputes(list(_shown(found, surest[:MOST].tolist(), codes.tolist())), len(chosen))


def _shown(found: Held, entries: list[int], codes: list[int]) -> Iterator[Dispute]:
    """With the texts of each run read at once."""
    labels, titles = found.labelled.labels, found.labelled.classes.titles
    texts = _texts(found, entries)
    for entry in entries:
        run, position = found.labelled.runs[int(labels.run[entry])], int(labels.position[entry])
        if (run.pk, position) not in texts:
            continue
        example, output = texts[run.pk, position]
        yield Dispute(
            run=run,
            position=position,
            key=example.key or str(position),
            output=output,
            people=titles[codes[entry]],
            judge=titles[int(found.codes[entry])],
            score=float(found.scores[entry]),
            note=_note(found, int(labels.rater[entry]), example),
        )


def _texts(found: Held, entries: list[int]) -> dict[tuple[int, int], tuple[Example, JSON]]:
    labels, texts = found.labelled.labels, {}
    for index, run in enumerate(found.labelled.runs):
        positions = [int(labels.position[entry]) for entry in entries if labels.run[entry] == index]
        dataset = run.experiment.dataset_id
        examples = {e.position: e for e in Example.objects.filter(dataset=dataset, position__in=positions)}
        for output in Output.objects.filter(run=run, position__in=positions):
            if output.position in examples:
                value = output_value(output.text, output.is_json)
                texts[run.pk, output.position] = examples[output.position], value
    return texts


def _note(found: Held, rater: int, example: Example) -> str:
    labels = Label.objects.filter(
        rater=rater, version=found.labelled.version, item__example=example.origin or example.position
    )
    return labels.exclude(note="").order_by("-pk").values_list("note", flat=True).first() or ""
