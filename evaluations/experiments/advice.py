"""Which evaluator to take for a dataset: the one that decided there last, else one for the shapes of its data."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from django.db.models import QuerySet

from evaluations import kinds
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.evaluators.evaluators import OUTPUT_TO_REFERENCE
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised import Advised
from evaluations.kinds.advised_columns import (
    answer_columns,
    are_fields,
    fields_by_name,
    listed,
    which_count,
)
from evaluations.kinds.advised_refusals import refusals
from evaluations.kinds.advising import (
    FEW_LABELS,
    ROWS_A_LABEL,
    advise,
    advise_for_answers,
    advise_for_synonyms,
    rights,
    several,
    words_of_answers,
)
from evaluations.kinds.evidence import ALL_COLUMNS, Evidence, Pair, evidence
from evaluations.kinds.kind import Family
from evaluations.mapping.choice import MOST_LABELS
from evaluations.models import Dataset, Evaluator, Example, Experiment, Run
from evaluations.scoring import telling
from evaluations.values import JSON, by_column, opened_json, text_of

from . import doubts, experiments, option_texts, remembered
from .advised_choice import AdvisedChoice
from .advised_reading import (
    REFERENCE,
    distinct,
    mapping_of,
    mapping_of_columns,
    mapping_of_records,
    mapping_of_refusals,
)
from .advised_scores import looser, scores
from .fitted import for_empty_rows, for_grades
from .option_texts import Inputs

EACH_WORD = "$.expected[*][*]"  # of lists of the words for each right answer
LOOKED_AT, MOST_RUNS = 200, 2  # examples; variants whose outputs are scored as evidence
LABELS_FROM = 50_000  # examples among whose references all labels are looked for


@dataclass(frozen=True)
class Advice:
    """An evaluator that exists, or a kind of one with the way it reads, and the reason.

    With `evidence` where there are outputs.
    """

    evaluator: Evaluator | None
    kind: str
    reason: str
    evidence: Evidence | None = None
    mapping: dict[str, Any] = field(default_factory=lambda: OUTPUT_TO_REFERENCE)
    config: dict[str, JSON] = field(default_factory=dict)
    is_code: bool = False  # the references are code, which nothing here runs
    doubt: str = ""  # why it should not decide before somebody has looked
    remedy: str = ""  # what to do about that, in sentences
    # what it says of all outputs that were looked at, in their order
    judged: Callable[[], list[float | None]] = field(default=list, compare=False)

    @classmethod
    def of_data(
        cls,
        references: Sequence[JSON],
        outputs: Sequence[JSON] = (),
        labels: Sequence[str] | None = None,
        asked: Sequence[Inputs] = (),
    ) -> "Advice | None":
        """The advice for references, and for the outputs of one variant after the other in the same order.

        `labels` are the different references of the whole data, if they are few and known, and `asked` the inputs of
        each example by name.
        """
        inputs = [*map(joined, asked)]
        if synonyms := advise_for_synonyms(references, outputs):
            mapping = mapping_of(synonyms, [*map(words_of_answers, references)], outputs, None)
            mapping["expected"] = mapping["expected"] | {"path": EACH_WORD}
            return cls.of_kind(synonyms, mapping, references, outputs, asked=asked)
        advised = advise(references, outputs, inputs)
        if advised is None:
            return None
        mapping = mapping_of(advised, references, outputs, labels)
        advice = cls.of_kind(advised, mapping, references, outputs, asked=asked)
        if advised.kind == "numeric_match" and option_texts.are_numbered(references, asked):
            reason = f"the {len(references)} references are numbers of the options"
            label = Advised("label", reason)
            mapping = mapping_of(label, references, outputs, labels)
            other = cls.of_kind(label, mapping, references, outputs, asked=asked)
            return max(advice, other, key=_count_right)  # some may say the option, and some its number
        return advice

    @classmethod
    def of_columns(
        cls,
        columns: Sequence[str],
        rows: Sequence[Sequence[JSON]],
        outputs: Sequence[JSON] = (),
        labels: Sequence[str] | None = None,
        asked: Sequence[Inputs] = (),
    ) -> "Advice | None":
        """The advice for rows with a reference in each of these columns; `labels` are those of a single one."""
        if len(columns) == 1:
            references = [reference for (reference,) in rows]
            if step := refusals(columns[0], references, outputs):
                reason = f"the {len(rows)} references say whether an answer should refuse"
                mapping = mapping_of_refusals(step)
                return cls.of_kind(Advised("label", reason), mapping, references, outputs, asked=asked)
            return cls.of_data(references, outputs, labels, asked)
        if are_fields(columns, outputs):
            return cls._of_records(columns, rows, outputs, asked)
        if fields := fields_by_name(columns, outputs):
            return cls._of_named_records(columns, fields, rows, outputs, asked)
        found = answer_columns(columns, [*zip(*rows, strict=True)], outputs)
        names = [columns[column] for column in found]
        answers = [[row[column] for column in found if row[column] not in (None, "")] for row in rows]
        advised = advise_for_answers(answers, outputs, [*map(joined, asked)])
        if advised is None:
            return None
        advised = advised._replace(
            reason=f"{advised.reason}; {which_count(columns, names if advised.are_columns else names[:1])}"
        )
        mapping = mapping_of_columns(advised, names, answers, outputs)
        shown = [
            [one for answer in row for one in several(answer)]
            if advised.are_columns
            else next(iter(row), None)
            for row in answers
        ]
        return cls.of_kind(advised, mapping, shown, outputs, names[0], asked)

    @classmethod
    def _of_records(
        cls,
        columns: Sequence[str],
        rows: Sequence[Sequence[JSON]],
        outputs: Sequence[JSON],
        asked: Sequence[Inputs],
    ) -> "Advice | None":
        """The advice where the columns are the fields of the objects that outputs are."""
        records: list[JSON] = [dict(zip(columns, row, strict=True)) for row in rows]
        advised = advise(records, outputs)
        if advised is None:
            return None
        advised = advised._replace(reason=f"outputs are objects with the fields {listed(columns)}")
        mapping = mapping_of(advised, records, outputs, None)
        mapping["expected"] = mapping["expected"] | {"path": REFERENCE}
        return cls.of_kind(advised, mapping, records, outputs, ALL_COLUMNS, asked)

    @classmethod
    def _of_named_records(
        cls,
        columns: Sequence[str],
        fields: Mapping[str, str],
        rows: Sequence[Sequence[JSON]],
        outputs: Sequence[JSON],
        asked: Sequence[Inputs],
    ) -> "Advice | None":
        """The advice where columns are the fields of the calls or objects that outputs are, under other names."""
        whole: list[JSON] = [dict(zip(columns, row, strict=True)) for row in rows]
        records: list[JSON] = [
            {field: opened_json(row[column]) for field, column in fields.items()}
            for row in (dict(zip(columns, row, strict=True)) for row in rows)
        ]
        is_call = fields.keys() == {"name", "arguments"}
        advised = Advised("tool_calls", "") if is_call else advise(records, outputs)
        if advised is None:
            return None
        advised = advised._replace(reason=f"{listed([*fields.values()])} are what outputs are in one")
        mapping = mapping_of_records(advised, fields, records, outputs)
        return cls.of_kind(advised, mapping, whole, outputs, ALL_COLUMNS, asked)

    @classmethod
    def of_kind(
        cls,
        advised: Advised,
        mapping: dict[str, Any],
        references: Sequence[JSON],
        outputs: Sequence[JSON],
        column: str = "reference",
        asked: Sequence[Inputs] = (),
    ) -> "Advice":
        """What is advised, with what it says of outputs beside these references, which are in this column."""
        size = len(references)
        advised, mapping, nothing = for_empty_rows(advised, mapping, references, outputs)
        if options := option_texts.found(mapping, asked, outputs):
            mapping = mapping | {"actual": mapping["actual"] | {"options": options}}
        advised = for_grades(advised, mapping, references, outputs)
        beside = [
            Pair(output, references[at % size], asked[at % size] if asked else None)
            for at, output in enumerate(outputs)
        ]
        pairs = (
            [pair for row in range(size) for pair in beside[row::size]] if len(outputs) % size == 0 else []
        )
        recipe = Recipe.compile(advised.kind, advised.config, mapping)
        title = AdvisedChoice(advised.kind, advised.config, mapping).label
        shown = evidence(
            advised.kind,
            pairs,
            title,
            lambda usable: scores(recipe, usable, column),
            partial(rights, advised),
            looser(advised.kind, advised.config, mapping, column),
        )
        against = doubts.first(advised, recipe, references, outputs, column, asked)
        if not against.words and nothing:
            against = doubts.Doubt(f"{nothing}, and these rows would not count", doubts.FILL_IN)
        return cls(
            None,
            advised.kind,
            advised.reason,
            shown,
            mapping,
            advised.config,
            advised.is_code,
            *against,
            judged=partial(scores, recipe, beside, column),
        )


def _count_right(advice: Advice) -> float:
    return sum(score or 0 for score in advice.judged())


def of_dataset(dataset: Dataset) -> Advice | None:
    """The advice for new outputs of a dataset; None if it has no references and decided nothing yet.

    Scores from outside belong to the outputs that they came with, so they decide nothing about new ones.
    """
    if decided := last_decided(dataset):
        last, primary = decided
        reason = "it decided in the last experiment on this dataset"
        told = doubts.of_earlier(dataset, primary) or _other(dataset, primary)
        return Advice(primary, "", f"{reason}.{told}" if told else reason, _of_earlier_answers(last, primary))
    return of_references(dataset)


def _other(dataset: Dataset, primary: Evaluator) -> str:
    """A sentence about the kind that the references alone recommend, where another one decided; "" else."""
    now = of_references(dataset)
    if now is None or not now.kind or now.doubt or now.kind == evaluators.newest(primary).kind:
        return ""
    return f" By the references alone, {kinds.get(now.kind).title} would be recommended: {now.reason}"


def of_references(dataset: Dataset) -> Advice | None:
    """The advice for the references of a dataset, whatever decided there."""
    rows = datasets.examples(dataset).values_list("reference", "inputs")[:LOOKED_AT]
    return _of_rows(
        dataset, [text for text, _ in rows], (), [text for _, text in rows], datasets.examples(dataset)
    )


def of_experiment(experiment: Experiment) -> Advice | None:
    """The advice for more evaluators of an experiment, whose outputs exist; None without a reference."""
    rows = [
        *experiment.examples.order_by("position").values_list("position", "reference", "inputs")[:LOOKED_AT]
    ]
    positions, references, inputs = zip(*rows, strict=True) if rows else ((), (), ())
    outputs = _outputs(experiments.shown_runs(experiment)[:MOST_RUNS], positions)
    return _of_rows(experiment.dataset, references, outputs, inputs, experiment.examples)


def _of_rows(
    dataset: Dataset,
    references: Sequence[str],
    outputs: Sequence[JSON],
    inputs: Sequence[str],
    examples: QuerySet[Example],
) -> Advice | None:
    """The advice for references and inputs as JSON texts, of the first of these examples."""
    columns = dataset.columns.get("reference", [])
    if not columns or not references:
        return None
    by_name = [by_column("reference", orjson.loads(text)) for text in references]
    rows = [[row.get(name) for name in columns] for row in by_name]
    labels = _labels(examples, [row[0] for row in rows]) if len(columns) == 1 else None
    asked = [by_column("inputs", orjson.loads(text)) for text in inputs]
    return Advice.of_columns(columns, rows, outputs, labels, asked)


def is_outgrown(primary: int, now: Advice | None) -> bool:
    """Whether an evaluator that decides elsewhere was taken as advised there, and this data advises another kind.

    One that was chosen against the advice suits whatever its team sends.
    """
    decided = Experiment.objects.live().filter(primary=primary).select_related("dataset", "primary")
    last = decided.order_by("-pk").first()
    if now is None or last is None or last.primary is None:
        return False
    kind, advised = evaluators.newest(last.primary).kind, of_experiment(last)
    return kind != now.kind and advised is not None and advised.kind == kind


def _labels(examples: QuerySet[Example], references: Sequence[JSON]) -> list[str] | None:
    """The different references of many examples, if the first ones are few labels."""
    if len(distinct(references, FEW_LABELS) or ()) * ROWS_A_LABEL > len(references):
        return None
    texts = examples.order_by("position").values_list("reference", flat=True)[:LABELS_FROM]
    return distinct(map(_first, set(texts)), MOST_LABELS)


def _first(text: str) -> JSON:
    """The first of the references of an example, given as a JSON text."""
    return next(iter(by_column("reference", orjson.loads(text)).values()), None)


def joined(inputs: Inputs) -> str:
    """All inputs of an example as one text."""
    return " ".join(text_of(value) or "" for value in inputs.values())


def _references(examples: QuerySet[Example]) -> dict[int, JSON]:
    """The first references by position."""
    texts = examples.order_by("position").values_list("position", "reference")[:LOOKED_AT]
    return {position: _first(text) for position, text in texts}


def _inputs(examples: QuerySet[Example]) -> list[JSON]:
    """The inputs of the first examples by name."""
    texts = examples.order_by("position").values_list("inputs", flat=True)[:LOOKED_AT]
    return [by_column("inputs", orjson.loads(text)) for text in texts]


def _outputs(runs: Iterable[Run], positions: Collection[int]) -> list[JSON]:
    """The outputs of one run after the other, in the order of these positions."""
    outputs: list[JSON] = []
    for run in runs:
        found = dict(run.outputs.filter(position__in=positions).values_list("position", "text"))
        outputs += [found.get(position) for position in positions]
    return outputs


def _of_earlier_answers(last: Experiment, primary: Evaluator) -> Evidence | None:
    """What the primary says of outputs of the last experiment that it decided; None if that would ask a server."""
    dataset = last.dataset
    if len(dataset.columns.get("reference", [])) != 1:
        return None
    references = _references(datasets.examples(dataset))
    shown = experiments.shown_runs(last)
    runs = (telling.telling_first(shown, primary) or shown)[:MOST_RUNS]
    answers = [_outputs([run], references) for run in runs]
    # of each example the answers of both variants, because those of one may all be wrong
    asked = _inputs(datasets.examples(dataset))
    pairs = [
        Pair(given[row], known, asked[row])
        for row, known in enumerate(references.values())
        for given in answers
    ]
    return remembered.evidence_beside(primary, pairs, dataset.columns["reference"][0])


def last_decided(dataset: Dataset) -> tuple[Experiment, Evaluator] | None:
    """The newest experiment on a dataset with a primary evaluator, and that one; None if it is a score from outside."""
    with_primary = Experiment.objects.live().filter(dataset=dataset, primary__deleted_at=None)
    newest = with_primary.exclude(primary=None).select_related("primary").order_by("-pk").first()
    if newest is None or newest.primary is None:
        return None
    kind = kinds.get(evaluators.newest(newest.primary).kind)
    return None if kind.family == Family.OUTSIDE else (newest, newest.primary)
