"""A compiled evaluator version: kind, config and mapping, ready to score many batches."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from evaluations import kinds, mapping
from evaluations.kinds.config import Config, EmbeddingConfig
from evaluations.kinds.judge import JudgingConfig
from evaluations.kinds.kind import Bounds, Embed
from evaluations.kinds.label import LabelConfig
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.scores import Scores
from evaluations.kinds.statistic import MEAN, Counting, Counts, Statistic
from evaluations.mapping import Contexts
from evaluations.mapping.reading import Trace
from evaluations.mapping.sources import Literal, Matched
from evaluations.metrics import meaning
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, Column, Direction, Status, text_of, text_or_json

from . import answers

if TYPE_CHECKING:  # Children score without Django.
    from evaluations.models import EvaluatorVersion

MOST_RECIPES = 500
BUILT_IN_WEIGHT = 50
NO_STATISTICS = (
    "A run has no such statistic where examples bring settings, or one of several references is chosen."
)


@dataclass(frozen=True)
class Recipe:
    """A compiled evaluator version, which computes scores from contexts."""

    kind: kinds.Kind
    config: dict[str, JSON]
    mapping: mapping.Mapping

    @classmethod
    def compile(
        cls, kind: str, config: dict[str, JSON], mapped: dict[str, Any], version: int | None = None
    ) -> "Recipe":
        """Check and compile, with the formula of a version (by default the newest).

        Raises `kinds.UnknownKind`, `kinds.ConfigError` or `mapping.MappingError`.
        """
        evaluator_kind = kinds.get(kind, version)
        compiled = mapping.compile(
            mapped,
            evaluator_kind.parameters,
            evaluator_kind.Config,
            evaluator_kind.several,
            opens_lists=evaluator_kind.opens_lists,
        )
        fixed = ((name, compiled.sources[name]) for name in compiled.config_fields)
        literals = {name: source.value for name, source in fixed if isinstance(source, Literal)}
        full = evaluator_kind.parse(config | literals).model_dump(mode="json")
        recipe = cls(evaluator_kind, full, compiled)
        if recipe.headline is not None and not recipe.has_statistics:
            raise kinds.ConfigError([("/headline", NO_STATISTICS)])
        return recipe

    @classmethod
    def from_version(cls, version: "EvaluatorVersion") -> "Recipe":
        """The compiled version; cached by the texts of kind, formula, config and mapping."""
        key = repr((version.kind, version.kind_version, version.config, version.mapping))
        recipe = process_cache.get(key)
        if recipe is None:
            recipe = cls.compile(version.kind, version.config, version.mapping, version.kind_version)
            process_cache.put(key, recipe)
        return recipe

    @cached_property
    def parsed(self) -> Config:
        """The config with its types."""
        return self.kind.parse(self.config)

    @property
    def has_means(self) -> bool:
        """Whether scores are numbers: not those of people's words without numbers."""
        return not isinstance(self.parsed, RecordedConfig) or self.parsed.has_means

    def word(self, value: float) -> str | None:
        """The word that a score of people's words without numbers stands for; None of numbers."""
        return self.parsed.word(value) if isinstance(self.parsed, RecordedConfig) else None

    @property
    def is_built_in(self) -> bool:
        """Whether it compares by the model that comes with the program."""
        return isinstance(self.parsed, EmbeddingConfig) and self.parsed.is_built_in

    @property
    def needs_server(self) -> bool:
        """Whether scoring calls the server of a connection."""
        return self.kind.needs_connection and not self.is_built_in

    @property
    def is_judge(self) -> bool:
        """Whether its scores are verdicts of a model."""
        return isinstance(self.parsed, JudgingConfig)

    @property
    def is_paid(self) -> bool:
        """Whether its scores are calls to a server, for which somebody must name money."""
        return self.needs_server or self.is_judge

    @property
    def weight(self) -> int:
        """About how many formulas take as long for the same texts."""
        return BUILT_IN_WEIGHT if self.is_built_in else 1

    @property
    def needs(self) -> frozenset[str]:
        """The context columns that it reads, out of input, output, reference and metadata."""
        return self.mapping.needs

    @property
    def bounds(self) -> Bounds:
        """The lowest and highest possible score; None if unbounded."""
        return self.kind.bounds(self.parsed)

    @property
    def direction(self) -> Direction:
        return self.kind.better(self.parsed)

    @property
    def threshold(self) -> float | None:
        return self.kind.threshold(self.parsed)

    @property
    def has_statistics(self) -> bool:
        """Whether runs have statistics: not if examples bring settings of their own, nor, for measures of a corpus, if
        one of several references is chosen."""
        varies = any(isinstance(self.mapping.sources[name], Matched) for name in self.mapping.config_fields)
        is_corpus = not self.kind.reads_labels
        return self.kind.counting is not None and not varies and not (self.mapping.accepts_any and is_corpus)

    @property
    def headline(self) -> str | None:
        """The name of the run statistic by which runs are compared; None for the mean."""
        name = self.parsed.headline_statistic
        return None if name == MEAN else name

    @property
    def is_share(self) -> bool:
        """Whether runs are compared by the mean of scores that are only 0 and 1, or of pass and fail."""
        return self.headline is None and (self.kind.binary or self.parsed.is_pass_fail)

    @property
    def share(self) -> str:
        """The word for a score of 1 if all scores are 0 or 1, whose means are shares: "right"; "" for other scores."""
        if not self.is_share or self.direction != "maximize":
            return ""
        return "right" if "expected" in self.kind.parameters else "passing"

    @property
    def parts(self) -> str:
        """What each score is a share of, such as "fields right"; "" if it is no such share."""
        return self.parsed.counts_parts if self.headline is None else ""

    @property
    def is_per_cent(self) -> bool:
        """Whether means are shown as per cent, and differences in points: of answers, or of their parts.

        The one answer for pages, gates, reports and lists: an evaluator has one unit everywhere.
        """
        return self.is_share or (self.parts != "" and self.direction == "maximize")

    @property
    def labels(self) -> list[str] | None:
        """The labels that the config names; None if it names none."""
        named: list[str] | None = getattr(self.parsed, "labels", None) if self.kind.reads_labels else None
        return named

    def read_label(self, text: str) -> str:
        """The label that a text is, for kinds that read labels."""
        return cast(LabelConfig, self.parsed).read(text)

    def counting(self, labels: Sequence[str] = ()) -> Counting:
        """How stored counts become statistics, over these labels if the kind reads labels."""
        assert self.kind.counting is not None
        return self.kind.counting(self.parsed, labels)

    def statistic(self, name: str) -> Statistic:
        """One of its statistics by name, with title and bounds, whatever the labels."""
        return self.counting(self.labels or ()).statistic(name)

    @property
    def is_corpus(self) -> bool:
        """Whether its statistic is a score of a corpus with a signature (BLEU, chrF)."""
        return self.has_statistics and self.counting(self.labels or ()).signature is not None

    def signature(self, counts: Iterable[Counts]) -> str:
        """How its source describes the statistic of these rows of counts; empty if it has no signature."""
        signature = self.counting(self.labels or ()).signature
        if signature is None:
            return ""
        last = (set(np.unique(rows[:, -1]).tolist()) for rows in counts)
        return signature(set[int]().union(*last) if self.reads_several else {1})

    @property
    def reads_several(self) -> bool:
        """Whether it compares with several references; stored counts then end with the number of references."""
        expected = self.mapping.sources.get("expected")
        return isinstance(expected, Matched) and expected.many == "references"

    def scores(
        self, contexts: Contexts, *, embed: Embed | None = None, shared: dict[Any, Any] | None = None
    ) -> Scores:
        """Score `contexts`; one slot per row. If a path sets a part of the config, rows are grouped by config.

        Where one of several right answers counts, each is scored, and the row gets the best of them.
        """
        embed = meaning.embed if self.is_built_in else embed
        columns = self.mapping.resolve(contexts)
        if not self.mapping.accepts_any:
            return self._scores(columns, contexts.size, embed=embed, shared=shared)
        accepted = answers.spread(columns)
        scores = self._scores(accepted.columns, len(accepted.rows), embed=embed, shared=None)
        return answers.best(scores, accepted.rows, contexts.size, self.direction)

    def _scores(
        self,
        columns: dict[str, Column],
        size: int,
        *,
        embed: Embed | None,
        shared: dict[Any, Any] | None,
    ) -> Scores:
        groups, problems = self.mapping.group_by_config(self.config, columns)
        if len(groups) == 1 and not problems:
            scores = self.kind.evaluate(self.kind.parse(groups[0][0]), columns, embed=embed, shared=shared)
            if self.reads_several and scores.counts is not None:
                scores.counts = np.column_stack([scores.counts, _numbers(columns["expected"])])
            return scores
        scores = Scores.empty(size)
        for config, rows in groups:
            part = {name: _take(columns[name], rows) for name in self.kind.parameters}
            group_scores = self.kind.evaluate(self.kind.parse(config), part, embed=embed)
            group_scores.counts = None  # Counts with different settings cannot be summed.
            scores.put(rows, group_scores)
        for row, (status, message) in problems.items():
            scores.status[row], scores.messages[row] = status, message
        return scores

    def explain(self, contexts: Contexts, row: int, *, embed: Embed | None = None) -> dict[str, Any]:
        """Explain the score of one row; `note` says what could not be resolved."""
        embed = meaning.embed if self.is_built_in else embed
        columns = self.mapping.resolve(contexts)
        reading = self._read(contexts, row)
        groups, problems = self.mapping.group_by_config(self.config, columns)
        for name in self.kind.parameters:
            problems |= columns[name].problems
        if row in problems:
            return reading | {"note": problems[row][1]}
        config = self.kind.parse(next(config for config, rows in groups if row in rows))
        actual, expected = [
            columns[name].values[row] if name in columns else None for name in ("actual", "expected")
        ]
        if self.mapping.accepts_any and isinstance(expected, tuple):
            accepted = answers.spread({name: _take(column, [row]) for name, column in columns.items()})
            scores = self._scores(accepted.columns, len(accepted.rows), embed=embed, shared=None)
            won = answers.winners(scores, accepted.rows, 1, self.direction)[0]
            reading["reference"] = int(won)
            expected = expected[won]
        return reading | self.kind.explain(config, actual, expected, embed=embed)

    @property
    def takes_part(self) -> bool:
        """Whether only a part of an output is compared: at a path, by reading steps or by the formula itself."""
        source = self.mapping.sources.get("actual")
        if not isinstance(source, Matched) or source.path.roots not in (
            frozenset({"output"}),
            frozenset({"actual"}),
        ):
            return False
        return source.reading is not None or len(source.path.prefix) > 1 or self._takes is not None

    @property
    def _takes(self) -> Callable[[Any, JSON], str | None] | None:
        return None if self.mapping.config_fields else self.kind.takes

    def taken(self, contexts: Contexts) -> list[str | None]:
        """What is taken out of each output: "" where nothing was found, None without an output."""
        column = self.mapping.column(contexts, "actual")
        lost = {row for row, (status, _) in column.problems.items() if status == Status.NOT_FOUND}
        return ["" if row in lost else self._part(value) for row, value in enumerate(column.values)]

    def _part(self, value: JSON) -> str | None:
        if value is None:
            return None
        return text_or_json(value) if self._takes is None else self._takes(self.parsed, value) or ""

    def _read(self, contexts: Contexts, row: int) -> dict[str, Any]:
        """What each reading step made of the output, and of the reference if it has steps."""
        traces: dict[str, Any] = {}
        for name, block in (("actual", "read"), ("expected", "read_expected")):
            source = self.mapping.sources.get(name)
            if isinstance(source, Matched) and source.reading:
                column = contexts.column(source.path, source.many, opens_lists=self.mapping.opens_lists)
                if column.values[row] is not None and not isinstance(column.values[row], tuple):
                    steps = source.reading.trace(column.values[row])
                    if source.options and steps[-1].text is None:
                        label = self.mapping.resolve(contexts)[name].values[row]
                        steps = [*steps[:-1], Trace("text of an option", text_of(label))]
                    traces[block] = [{"step": trace.step, "text": trace.text} for trace in steps]
        return traces


process_cache: ProcessCache[str, Recipe] = ProcessCache("evaluators", MOST_RECIPES)


def _numbers(references: Column) -> NDArray[np.int32]:
    """The number of references of each row."""
    return np.array([len(several or ()) for several in cast(list[Any], references.values)], np.int32)


def _take(column: Column, rows: list[int]) -> Column:
    index_of = {row: n for n, row in enumerate(rows)}
    problems = {index_of[row]: problem for row, problem in column.problems.items() if row in index_of}
    return Column([column.values[row] for row in np.asarray(rows)], problems)
