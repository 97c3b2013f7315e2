"""Inspect: evaluation logs of UK AISI's inspect_ai, format version 2; `inspect_archive` unpacks those named `.eval`."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from evaluations.values import JSON

from .evaluation import (
    Answer,
    Answers,
    Evaluation,
    Figure,
    Formula,
    Grader,
    Item,
    Score,
    Variant,
    as_object,
    as_objects,
    distinct,
    number,
    refused,
    whole,
)

TOOL = "Inspect"
VERSION = 2
VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MEANS = ("accuracy", "mean")
HOW = "Write it as JSON with a current version: inspect log convert FILE --to json --output-dir DIR"
ATTACHMENT = "attachment://"


def evaluation(log: Any) -> Evaluation:
    return of_samples(as_object(log), map(slim, as_objects(as_object(log).get("samples"))))


SAMPLE = {"id", "epoch", "input", "target"}
KEPT_FIELDS = ("id", "epoch", "input", "choices", "target", "metadata", "error")


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """The imported fields of a sample, with texts that were stored as attachments put back.

    Any other object is returned unchanged.
    """
    if not value.keys() >= SAMPLE:
        return value
    attachments = as_object(value.get("attachments"))
    scores = {name: _value(score) for name, score in as_object(value.get("scores")).items()}
    slimmed = {name: value[name] for name in KEPT_FIELDS if name in value} | {
        "output": _output(as_object(value.get("output"))),
        "scores": scores or None,
        "score": _value(value.get("score")),
    }
    return as_object(_attached(slimmed, attachments)) if attachments else slimmed


def _output(output: dict[str, Any]) -> dict[str, Any]:
    text = "completion" if isinstance(output.get("completion"), str) else "choices"
    return {name: output[name] for name in (text, "usage", "time", "error") if name in output}


def _value(score: Any) -> dict[str, Any] | None:
    return {"value": score.get("value")} if isinstance(score, dict) else None


def _attached(value: JSON, attachments: dict[str, Any]) -> JSON:
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        attachment: JSON = attachments.get(value.removeprefix(ATTACHMENT), value)
        return attachment
    if isinstance(value, dict):
        return {name: _attached(member, attachments) for name, member in value.items()}
    return [_attached(member, attachments) for member in value] if isinstance(value, list) else value


def of_samples(log: dict[str, Any], samples: Iterable[dict[str, Any]]) -> Evaluation:
    if log.get("version") != VERSION:
        raise refused(
            TOOL, f"version {log.get('version')} of its logs is not supported; only {VERSION} is.", HOW
        )
    slim = sorted(samples, key=lambda sample: whole(sample.get("epoch")) or 1)
    if not slim:
        raise refused(TOOL, "the log has no samples.", "Write the log with its samples (log_samples).")
    return _Log(log, slim).evaluation()


class _Log:
    def __init__(self, log: dict[str, Any], samples: list[dict[str, Any]]):
        self.log, self.samples = log, samples
        self.spec = as_object(log.get("eval"))
        self.results = as_object(log.get("results"))
        self.indices: dict[str, int] = {}
        self.types: dict[str, str] = {}  # by name of a grader, its scorer
        # Equal scores share one object, because a log has few distinct values.
        self.scores: dict[float | None, Score] = {}

    def evaluation(self) -> Evaluation:
        repetitions = self._repetitions()
        model = str(self.spec.get("model") or "model")
        [name] = distinct([model])
        return Evaluation(
            tool=TOOL,
            version=str(VERSION),
            name=str(self.spec.get("task") or "Inspect log"),
            items=self._items(),
            variants=[Variant(name, self._about(), repetitions)],
            graders=[self._grader(grader, scorer) for grader, scorer in self.types.items()],
            figures=list(self._figures(name)),
            notes=list(self._notes()),
        )

    def _about(self) -> dict[str, Any]:
        plan = as_object(self.log.get("plan"))
        settings = as_object(plan.get("config")) | as_object(self.spec.get("model_generate_config"))
        about = {
            "model": self.spec.get("model"),
            "parameters": {name: value for name, value in settings.items() if value is not None},
            "task": self.spec.get("task"),
            "task_args": self.spec.get("task_args"),
            "solvers": [step.get("solver") for step in as_objects(plan.get("steps"))],
            "commit": as_object(self.spec.get("revision")).get("commit"),
            "created": self.spec.get("created"),
        }
        return {name: value for name, value in about.items() if value not in (None, "", {}, [])}

    # ---- samples ----

    def _repetitions(self) -> list[Answers]:
        by_epoch: dict[int, Answers] = {}
        for sample in self.samples:
            answers = by_epoch.setdefault(whole(sample.get("epoch")) or 1, {})
            index = self.indices.setdefault(str(sample.get("id")), len(self.indices))
            answers[index] = self._answer(sample)
        return list(by_epoch.values())

    def _answer(self, sample: dict[str, Any]) -> Answer:
        output = as_object(sample.get("output"))
        error = as_object(sample.get("error")).get("message") or output.get("error")
        text = _completion(output)
        tokens = whole(as_object(output.get("usage")).get("output_tokens"))
        seconds = number(output.get("time"))
        failed = error is not None and not text
        return Answer(
            output=None if failed else text,
            error=str(error) if failed else None,
            latency_ms=None if seconds is None else whole(seconds * 1000),
            tokens=tokens,
            scores=self._scores(sample),
        )

    def _scores(self, sample: dict[str, Any]) -> dict[str, Score]:
        scores = as_object(sample.get("scores"))
        if not scores and isinstance(sample.get("score"), dict):
            first = next(iter(as_objects(self.results.get("scores"))), as_object(self.results.get("scorer")))
            scores = {str(first.get("name") or "score"): sample["score"]}
        flat: dict[str, Score] = {}
        for scorer, score in scores.items():
            value = as_object(score).get("value")
            parts = (
                {f"{scorer}/{name}": part for name, part in value.items()}
                if isinstance(value, dict)
                else None
            )
            for name, part in (parts or {scorer: value}).items():
                self.types.setdefault(name, scorer)
                number_of = _score(part)
                flat[name] = self.scores.setdefault(number_of, Score(number_of))
        return flat

    # ---- items ----

    def _items(self) -> list[Item]:
        firsts: dict[str, dict[str, Any]] = {}
        for sample in self.samples:
            firsts.setdefault(str(sample.get("id")), sample)
        return [_item(key, sample) for key, sample in firsts.items()]

    # ---- graders ----

    def _grader(self, name: str, scorer: str) -> Grader:
        """The grader. `includes` with one target has a formula; `match` ignores punctuation, `exact` also articles."""
        options = next((s for s in as_objects(self.spec.get("scorers")) if s.get("name") == scorer), {})
        if name != scorer or scorer.rpartition("/")[2] != "includes":
            return Grader(name, scorer, why=f"no evaluator is known to equal {scorer}")
        if any(
            isinstance(sample.get("target"), list) and len(sample["target"]) > 1 for sample in self.samples
        ):
            return Grader(name, scorer, why="samples have several targets")
        ignore_case = as_object(options.get("options")).get("ignore_case", True)
        return Grader(name, scorer, Formula("contains", {"case_sensitive": not ignore_case}, "target"))

    def _figures(self, variant: str) -> Iterator[Figure]:
        """Accuracy and mean over all epochs; other reducers and metrics are not means of answers."""
        completed = whole(self.results.get("completed_samples"))
        for score in as_objects(self.results.get("scores")):
            metrics = as_object(score.get("metrics"))
            value = next((number(as_object(metrics[m]).get("value")) for m in MEANS if m in metrics), None)
            if value is not None and score.get("reducer") in (None, "mean"):
                name = str(score.get("name"))
                title = name if name in self.types else f"{score.get('scorer')}/{name}"
                if title in self.types and title not in self._uneven:
                    n = None if completed is None else completed - (whole(score.get("unscored_samples")) or 0)
                    yield Figure(variant, title, n, value)

    @cached_property
    def _uneven(self) -> set[str]:
        """Graders that scored some samples in more epochs than others: Inspect averages the means of samples."""
        counts: dict[str, Counter[str]] = {}
        if len({whole(sample.get("epoch")) for sample in self.samples}) < 2:
            return set()
        for sample in self.samples:
            for name, score in self._scores(sample).items():
                counts.setdefault(name, Counter())[str(sample.get("id"))] += score.value is not None
        scored = {name: {n for n in count.values() if n} for name, count in counts.items()}
        return {name for name, numbers in scored.items() if len(numbers) > 1}

    def _notes(self) -> Iterator[str]:
        if self.log.get("status") != "success":
            yield f"The log says that its run ended with the status “{self.log.get('status')}”."
        for name in sorted(self._uneven):
            yield (
                f"Some samples have scores of {name} in fewer epochs than others. Inspect averages each sample first, "
                "so its mean is not compared."
            )
        for score in as_objects(self.results.get("scores")):
            if score.get("reducer") not in (None, "mean"):
                yield f"The summary of {score.get('name')} by {score.get('reducer')} is not compared."
        yield "Messages, events and the store of the samples are not imported."


def _item(key: str, sample: dict[str, Any]) -> Item:
    target = sample.get("target")
    reference = target[0] if isinstance(target, list) and len(target) == 1 else target
    inputs: dict[str, JSON] = {"input": _conversation(sample.get("input"))}
    if sample.get("choices"):
        inputs["choices"] = sample["choices"]
    return Item(inputs, {"target": reference}, as_object(sample.get("metadata")), key)


def _conversation(value: Any) -> JSON:
    """A text, or the messages with their role and text."""
    if isinstance(value, str):
        return value
    messages = [{"role": m.get("role"), "content": _content(m.get("content"))} for m in as_objects(value)]
    is_question = len(messages) == 1 and messages[0]["role"] == "user"
    return messages[0]["content"] if is_question else messages


def _completion(output: dict[str, Any]) -> str | None:
    """The text of the first choice; older logs have no field `completion`."""
    if isinstance(output.get("completion"), str):
        return str(output["completion"])
    choices = as_objects(output.get("choices"))
    return _content(as_object(choices[0].get("message")).get("content")) if choices else None


def _content(content: Any) -> str:
    """The texts of a message; images and other data are represented by their type."""
    if isinstance(content, str):
        return content
    parts = as_objects(content)
    texts = [part["text"] if isinstance(part.get("text"), str) else f"[{part.get('type')}]" for part in parts]
    return "\n".join(text for part, text in zip(parts, texts, strict=True) if part.get("type") != "reasoning")


def _score(value: Any) -> float | None:
    """The number that Inspect's own metrics assign to a value: some words and numerals are numbers too."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return number(value)
    word_value = VALUES.get(value, WORDS.get(value.lower()))
    return word_value if word_value is not None else _numeral(value)


def _numeral(text: str) -> float | None:
    try:
        return number(float(text)) if math.isfinite(float(text)) else None
    except ValueError:
        return None
