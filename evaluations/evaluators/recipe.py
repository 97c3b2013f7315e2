"""A compiled evaluator version: kind, config and mapping, ready to score many batches."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric

from evaluations import kinds, mapping
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Bounds, Direction, Embed
from evaluations.kinds.scores import Scores
from evaluations.mapping import Contexts
from evaluations.mapping.sources import Literal, Matched
from evaluations.models import EvaluatorVersion
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, Column

MOST_RECIPES = 500


@dataclass(frozen=True)
class Recipe:
    """A compiled evaluator version, which computes scores from contexts."""

    kind: kinds.Kind
    config: dict[str, JSON]
    mapping: mapping.Mapping

    @classmethod
    def compile(cls, kind: str, config: dict[str, JSON], mapped: dict[str, Any]) -> "Recipe":
        """Check and compile; raises `kinds.UnknownKind`, `kinds.ConfigError` or `mapping.MappingError`."""
        evaluator_kind = kinds.get(kind)
        compiled = mapping.compile(
            mapped, evaluator_kind.parameters, evaluator_kind.Config, evaluator_kind.several
        )
        fixed = ((name, compiled.sources[name]) for name in compiled.config_fields)
        literals = {name: source.value for name, source in fixed if isinstance(source, Literal)}
        full = evaluator_kind.parse(config | literals).model_dump(mode="json")
        return cls(evaluator_kind, full, compiled)

    @classmethod
    def from_version(cls, version: EvaluatorVersion) -> "Recipe":
        """The compiled version; cached by the texts of kind, config and mapping."""
        key = repr((version.kind, version.config, version.mapping))
        recipe = process_cache.get(key)
        if recipe is None:
            recipe = cls.compile(version.kind, version.config, version.mapping)
            process_cache.put(key, recipe)
        return recipe

    @cached_property
    def parsed(self) -> Config:
        """The config with its types."""
        return self.kind.parse(self.config)

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
    def corpus(self) -> Metric | None:
        """The corpus metric (BLEU, chrF); None if there is none, or if examples bring settings of their own."""
        varies = any(isinstance(self.mapping.sources[name], Matched) for name in self.mapping.config_fields)
        return None if varies or not self.kind.corpus else self.kind.corpus(self.parsed)

    @property
    def reads_several(self) -> bool:
        """Whether it compares with several references; stored counts then end with the number of references."""
        expected = self.mapping.sources.get("expected")
        return isinstance(expected, Matched) and expected.many == "references"

    def scores(
        self, contexts: Contexts, *, embed: Embed | None = None, shared: dict[Any, Any] | None = None
    ) -> Scores:
        """Score `contexts`; one slot per row. If a path sets a part of the config, rows are grouped by config."""
        columns = self.mapping.resolve(contexts)
        groups, problems = self.mapping.group_by_config(self.config, columns)
        if len(groups) == 1 and not problems:
            scores = self.kind.evaluate(self.kind.parse(groups[0][0]), columns, embed=embed, shared=shared)
            if self.reads_several and scores.counts is not None:
                scores.counts = np.column_stack([scores.counts, _numbers(columns["expected"])])
            return scores
        scores = Scores.empty(contexts.size)
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
        columns = self.mapping.resolve(contexts)
        groups, problems = self.mapping.group_by_config(self.config, columns)
        for name in self.kind.parameters:
            problems |= columns[name].problems
        if row in problems:
            return {"note": problems[row][1]}
        config = next(config for config, rows in groups if row in rows)
        sides = [columns[name].values[row] if name in columns else None for name in ("actual", "expected")]
        return self.kind.explain(self.kind.parse(config), *sides, embed=embed)


process_cache: ProcessCache[str, Recipe] = ProcessCache("evaluators", MOST_RECIPES)


def _numbers(references: Column) -> NDArray[np.int32]:
    """The number of references of each row."""
    return np.array([len(several or ()) for several in cast(list[Any], references.values)], np.int32)


def _take(column: Column, rows: list[int]) -> Column:
    index_of = {row: n for n, row in enumerate(rows)}
    problems = {index_of[row]: problem for row, problem in column.problems.items() if row in index_of}
    return Column([column.values[row] for row in np.asarray(rows)], problems)
