"""The log of an eval (`oaieval`): a specification, a final report and events. Each sample in it is an example."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluations.values import JSON

from .evaluation import (
    Answer,
    Evaluation,
    Figure,
    Grader,
    Item,
    Score,
    Variant,
    as_list,
    as_object,
    as_objects,
    distinct,
    number,
    refused,
)

TOOL = "OpenAI Evals"
SAMPLING = "sampling"
VERDICT = "correct"  # the field of a verdict, whose score is called after the type of its event
HOW = "Upload the log as the program wrote it, with the events of its samples."
_NO_SCORES = {"error", "raw_sample", "embedding", "cond_logp"}

Event = Mapping[str, Any]


def evaluation(document: Any) -> Evaluation:
    lines = as_objects(document)
    spec = next((as_object(line["spec"]) for line in lines if "spec" in line), {})
    report = next((as_object(line["final_report"]) for line in lines if "final_report" in line), {})
    samples: dict[str, list[Event]] = {}
    for line in lines:
        if "sample_id" in line and "type" in line:
            samples.setdefault(str(line["sample_id"]), []).append(line)
    answered = {key: events for key, events in samples.items() if _answer(events) is not None}
    if not answered:
        raise refused(TOOL, "the log has no event with an answer.", HOW)
    scores = [_scores(events) for events in answered.values()]
    names = dict.fromkeys(name for of_sample in scores for name in of_sample)
    variant = distinct([", ".join(map(str, as_list(spec.get("completion_fns"))))])[0]
    answers = {
        index: Answer(_answer(events), scores=of_sample)
        for index, (events, of_sample) in enumerate(zip(answered.values(), scores, strict=True))
    }
    return Evaluation(
        tool=TOOL,
        version="log",
        name=str(spec.get("eval_name") or "OpenAI eval"),
        items=[_item(key, events) for key, events in answered.items()],
        variants=[Variant(variant, {}, [answers])],
        graders=[Grader(name, name, why="the eval computed it") for name in names],
        figures=[*_figures(report, [*names], variant)],
        notes=[*_notes(report, len(samples) - len(answered))],
    )


def _data(event: Event) -> dict[str, Any]:
    return as_object(event.get("data"))


def _answer(events: Sequence[Event]) -> JSON:
    """What a verdict was given about, else what was sampled first: later samplings are those of a grader."""
    found = [_text(_data(event).get("sampled")) for event in events if event["type"] != SAMPLING]
    found += [_text(_data(event).get("sampled")) for event in events]
    return next((text for text in found if text is not None), None)


def _text(sampled: JSON) -> JSON:
    """The only text of a list, as samplers write it; anything else as it is."""
    return sampled[0] if isinstance(sampled, list) and len(sampled) == 1 else sampled


def _item(key: str, events: Sequence[Event]) -> Item:
    prompt = next(
        (_data(e)["prompt"] for e in events if e["type"] == SAMPLING and "prompt" in _data(e)), None
    )
    expected = next((_data(event)["expected"] for event in events if "expected" in _data(event)), None)
    inputs: dict[str, JSON] = {"sample_id": key} if prompt is None else {"prompt": prompt}
    return Item(inputs, {} if expected is None else {"expected": expected}, {}, key)


def _scores(events: Sequence[Event]) -> dict[str, Score]:
    """The verdicts and numbers of a sample's events; of two with one name, the later one counts."""
    found: dict[str, Score] = {}
    for event in events:
        if event["type"] in (SAMPLING, *_NO_SCORES):
            continue
        for field, value in _data(event).items():
            if isinstance(value, bool):
                found[str(event["type"]) if field == VERDICT else field] = Score(float(value), value)
            elif number(value) is not None:
                found[field] = Score(number(value))
    return found


def _figures(report: Mapping[str, Any], names: Sequence[str], variant: str) -> Iterator[Figure]:
    """The accuracy of the final report beside the only verdict, other figures beside the scores of their names."""
    for name, value in report.items():
        grader = names[0] if name == "accuracy" and len(names) == 1 else name
        if grader in names and number(value) is not None:
            yield Figure(variant, grader, None, number(value))


def _notes(report: Mapping[str, Any], without: int) -> Iterator[str]:
    if without:
        yield f"{without} samples have no answer, and are not imported."
    if not report:
        yield "The log has no final report to compare with."
