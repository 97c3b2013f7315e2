"""`Kind`: a typed config, a formula over batches of pairs, and an explanation of a pair."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from evaluations.kinds import config as configs
from evaluations.kinds.choosing import ADVICE, Advice
from evaluations.kinds.contracts import CONTRACTS, Contract
from evaluations.kinds.pairs import Pairs, pair
from evaluations.kinds.scores import FAIL, NO_VERDICT, Scores
from evaluations.kinds.statistic import Counting
from evaluations.values import JSON, MAXIMIZE, Column, Direction, Status, text_of

Bounds: TypeAlias = tuple[float | None, float | None]
Embed: TypeAlias = Callable[[Sequence[str]], Sequence[NDArray[np.float32] | str]]
Missing: TypeAlias = Callable[[Any, Status], tuple[float, int] | None]


class Family(StrEnum):
    """The headings under which pages list the kinds, in this order."""

    SAME_TEXT = "The same text"
    EDITS = "Edits"
    OVERLAP = "Shared words and letters"
    MEANING = "Meaning"
    STRUCTURE = "Numbers and structure"
    OUTSIDE = "Scores from elsewhere"


NOTES = {
    Status.MISSING_EXPECTED: "There is no expected value to compare with.",
    Status.MISSING_ACTUAL: "There is no actual value to compare.",
}


def _unit_interval(config: configs.Config) -> Bounds:
    return 0.0, 1.0


def _no_score(config: configs.Config, status: Status) -> None:
    return None


def _no_bound(config: configs.Config, expected: JSON) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One row of the catalogue.

    `score(config, pairs)` scores a batch in one call; it returns `Scores` with one slot per pair.
    `detail(config, actual, expected)` explains one pair. Kinds with `needs_connection` get the callable
    `embed` as last argument of both. `missing(config, status)` returns value and verdict for a row with a
    null side, or None for no score. `natural(config, expected)` is the score of saying nothing about one example,
    for kinds whose scores have no worst end; None if there is none. With `reads_text` the formula
    compares texts; otherwise it gets JSON values, with `reads_json` lists and objects too. A kind whose `parameters`
    leave out "expected" reads no reference; those in `several` may be a tuple of texts.
    With `is_recorded` the scores are kept as records and never computed. With `is_derived` those of a run are computed
    from other columns of scores, not from texts; `score` then reads objects of numbers by name.
    `counting(config, labels)` has the run statistics that come from the counts of `score`, for kinds that read labels
    over these; `silence` is the text that counts as no answer. `unit` names what a score counts ("edits");
    such scores are whole numbers. `binary` scores are 0 or 1 only. `is_heavy`: a short pair can take seconds, so
    requests score it in a child process. `takes(config, actual)` is what the formula takes out of an output, None for
    nothing, for kinds that compare only a part of it. `summary` is one line for a list of kinds.
    When the same input would give another number, the formula becomes a new `version` whose `earlier` is
    the old one: evaluators keep the formula that they were saved with.
    """

    key: str
    title: str
    family: Family
    summary: str
    description: str
    source: str
    version: int
    Config: type[configs.Config]
    score: Callable[..., Scores]
    detail: Callable[..., dict[str, Any]]
    direction: Direction = MAXIMIZE
    bounds: Callable[[Any], Bounds] = _unit_interval
    missing: Missing = _no_score
    natural: Callable[[Any, JSON], float | None] = _no_bound
    reads_text: bool = True
    reads_json: bool = False
    needs_connection: bool = False
    is_recorded: bool = False
    is_derived: bool = False
    unit: str | None = None
    binary: bool = False
    is_heavy: bool = False
    parameters: tuple[str, ...] = ("actual", "expected")
    several: tuple[str, ...] = ()
    counting: Callable[[Any, Sequence[str]], Counting] | None = None
    silence: str = ""
    reads_labels: bool = False
    takes: Callable[[Any, JSON], str | None] | None = None
    earlier: "Kind | None" = None

    @property
    def measures_likeness(self) -> bool:
        """Whether it says how like the reference a text is, and not whether it is right."""
        return self.family in (Family.EDITS, Family.OVERLAP) or self.key == "semantic_similarity"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the config, with everything a form needs: titles, bounds, choices, defaults."""
        return self.Config.model_json_schema()

    @property
    def opens_lists(self) -> bool:
        """Whether several right answers may be the members of one list: not where a list is a value of its own."""
        return not self.reads_json

    @property
    def advice(self) -> Advice:
        """When to take this kind, when not, and what instead."""
        return ADVICE[self.key]

    @property
    def contract(self) -> Contract:
        """The formula in words, edge cases and golden vectors."""
        return CONTRACTS[self.key]

    def parse(self, config: Mapping[str, JSON]) -> configs.Config:
        """The typed config; raises ConfigError with every invalid field."""
        try:
            return self.Config.model_validate(config)
        except ValidationError as error:
            raise configs.ConfigError.from_pydantic(error) from error

    def threshold(self, config: configs.Config) -> float | None:
        """The value at which the verdict changes; None if there is no verdict."""
        return config.pass_mark

    def better(self, config: configs.Config) -> Direction:
        """The direction of the scores: as the config says, if it may, else as the kind does."""
        return getattr(config, "direction", self.direction)

    def worst(self, config: configs.Config, expected: JSON) -> float | None:
        """The score of silence about one example: the worst end of the scale, else the natural bound, else None."""
        low, high = self.bounds(config)
        bound = low if self.better(config) == MAXIMIZE else high
        return self.natural(config, expected) if bound is None else bound

    def warnings(self, config: configs.Config) -> list[str]:
        """Warnings about valid but probably unintended settings."""
        return config.warnings()

    def evaluate(
        self,
        config: configs.Config,
        columns: Mapping[str, Column],
        *,
        embed: Embed | None = None,
        shared: dict[Any, Any] | None = None,
    ) -> Scores:
        """Score a batch of rows, given the columns "actual" and, if the kind reads it, "expected".

        `shared` is a cache for one batch: kinds that compare the same two Column objects share lowercased
        texts and edit distances. Kinds with `needs_connection` require `embed`.
        """
        pairs = self._pairs(config, columns, {} if shared is None else shared)
        scores = self.score(config, pairs, *self._services(embed))
        if pairs.left_out:
            scores = self._spread(config, pairs, scores)
            self._score_unread(config, columns, scores)
        if scores.counts is not None:
            self._count_unanswered(config, columns, scores)
        scores.truncated += pairs.truncated
        return scores

    def explain(
        self, config: configs.Config, actual: JSON, expected: JSON, *, embed: Embed | None = None
    ) -> dict[str, Any]:
        """The `detail` of a pair: what was compared, and why it has its score (see `explain.py`)."""
        pairs = self._pairs(config, {"actual": Column([actual]), "expected": Column([expected])}, {})
        for status, message in pairs.left_out.values():
            return {"compared": _sides(actual, expected), "note": message or NOTES[status]}
        detail = self.detail(config, pairs.actual[0], pairs.expected[0], *self._services(embed))
        return detail | ({"truncated": True} if pairs.truncated else {})

    def _pairs(self, config: configs.Config, columns: Mapping[str, Column], shared: dict[Any, Any]) -> Pairs:
        actual = columns["actual"]
        expected = columns["expected"] if "expected" in self.parameters else Column([""] * len(actual))
        return pair(actual, expected, as_text=self.reads_text, cut=config.cut, shared=shared)

    def _spread(self, config: configs.Config, pairs: Pairs, judged: Scores) -> Scores:
        """Scores for all rows of the batch: `judged` ones, and a status for each row that was left out."""
        scores = Scores.empty(pairs.total)
        scores.put(pairs.rows, judged)
        for row, (status, message) in pairs.left_out.items():
            scores.status[row] = status
            if message:
                scores.messages[row] = message
            if not message or status == Status.MISSING_EXPECTED:
                self._score_missing(config, scores, row)
        return scores

    def _score_missing(self, config: configs.Config, scores: Scores, row: int) -> None:
        """Give a row without a side what the kind says: no score, or of some products 0."""
        status = Status(scores.status[row])
        scores.values[row], scores.passed[row] = self.missing(config, status) or (np.nan, NO_VERDICT)

    def _score_unread(self, config: configs.Config, columns: Mapping[str, Column], scores: Scores) -> None:
        """Give rows whose steps found no answer the worst score; without a reference they stay without one."""
        expected = columns.get("expected")
        for row in np.flatnonzero(scores.status == Status.NOT_FOUND).tolist():
            reference = expected.values[row] if expected is not None else None
            if reference is None and "expected" in self.parameters:
                scores.status[row] = Status.MISSING_EXPECTED
                self._score_missing(config, scores, row)
                continue
            worst = self.worst(config, reference)
            if worst is not None:
                scores.values[row] = worst
                scores.passed[row] = NO_VERDICT if self.threshold(config) is None else FAIL

    def _count_unanswered(
        self, config: configs.Config, columns: Mapping[str, Column], scores: Scores
    ) -> None:
        """In a corpus, count a row without an answer like one with an empty answer."""
        unanswered = (Status.MISSING_ACTUAL, Status.UNMAPPED, Status.NOT_FOUND)
        rows = np.flatnonzero(np.isin(scores.status, unanswered))
        rows = rows[[row not in columns["expected"].problems for row in rows.tolist()]]
        if len(rows) and scores.counts is not None:
            expected = Column([columns["expected"].values[row] for row in rows.tolist()])
            empty = {"actual": Column([self.silence] * len(rows)), "expected": expected}
            counted = self.evaluate(config, empty).counts
            scores.counts[rows] = -1 if counted is None else counted

    def _services(self, embed: Embed | None) -> tuple[Embed, ...]:
        if not self.needs_connection:
            return ()
        if embed is None:
            raise TypeError(f"{self.key} needs an embed callable")
        return (embed,)


def _sides(actual: JSON, expected: JSON) -> dict[str, str | None]:
    return {"actual": text_of(actual), "expected": text_of(expected)}
