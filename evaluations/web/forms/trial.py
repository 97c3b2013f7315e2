"""The form of a trial on the bench of a prompt: examples and evaluators for the variants in its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import QueryDict

from evaluations import kinds
from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound, Refusal
from evaluations.evaluators import evaluators, formulas
from evaluations.experiments import advice
from evaluations.experiments.advice import Advice
from evaluations.files.text import clean
from evaluations.models import Dataset, Evaluator, Project, Run, Scoring
from evaluations.numerals import whole
from evaluations.playground import costs, examples
from evaluations.playground.examples import TrialExamples
from evaluations.playground.trials import Variant

from . import evaluators as choices
from .choices import Row, rows_of
from .json_field import parsed

MOST_OFFERED = 50
FIRST = 10  # runs that are looked at


class OfferedEvaluator(NamedTuple):
    """An evaluator of the project, or one that a choice would create."""

    value: str
    name: str
    is_ticked: bool


@dataclass(frozen=True)
class TrialForm:
    """The submitted or initial choices."""

    project: Project
    dataset: Dataset | None
    variants: Sequence[Variant]
    form_data: QueryDict | None = None

    def _texts(self, name: str, otherwise: Sequence[str]) -> list[str]:
        is_sent = self.form_data is not None and "try_from" in self.form_data
        return self.form_data.getlist(name) if self.form_data is not None and is_sent else list(otherwise)

    def _text(self, name: str, otherwise: str = "") -> str:
        return next(iter(self._texts(name, [otherwise])), "").strip()

    @cached_property
    def _highest(self) -> int | Refusal | None:
        try:
            return costs.highest(self.project, self.variants, self.chosen())
        except Refusal as refusal:
            return refusal

    @property
    def highest_cost(self) -> int | None:
        """The maximum cost of the choices; None if it is unknown, or if nothing can be asked yet."""
        return None if isinstance(self._highest, Refusal) else self._highest

    @property
    def lacks_length(self) -> bool:
        """Whether the cost is unknown because an answer could have any length."""
        return isinstance(self._highest, Refusal) and self._highest.code == "max_tokens_required"

    @property
    def lacks_model(self) -> bool:
        return any(not variant.content.model for variant in self.variants)

    @property
    def cache(self) -> bool:
        return bool(self._texts("try_cache", ["1"]))

    # ---- examples --------------------------------------------------------------------------------------------

    @property
    def source(self) -> str:
        return self._text("try_from", "named" if self.dataset else "typed")

    @property
    def names(self) -> str:
        """The positions or keys in the form; the first ones if they are as filled in, maybe for another dataset."""
        typed = self._text("try_names", self.first_names)
        return self.first_names if typed and typed == self._text("try_names_were") else typed

    @cached_property
    def first_names(self) -> str:
        if self.dataset is None:
            return ""
        return ", ".join(str(example.identity) for example in datasets.first(self.dataset, 3))

    @property
    def seed(self) -> str:
        return self._text("try_seed", "1")

    @property
    def lines(self) -> str:
        return "\n".join(self._texts("try_typed", [""]))

    @property
    def references(self) -> str:
        return "\n".join(self._texts("try_references", [""]))

    @cached_property
    def worst(self) -> list[tuple[str, str]]:
        """Runs with scores, from which the worst examples can be taken: value and label.

        Of variants of one name the newest, unless another was chosen.
        """
        of_dataset = Run.objects.live().filter(experiment__deleted_at=None, experiment__dataset=self.dataset)
        runs = of_dataset.filter(for_gate=False)
        newest = list(runs.filter(status=Run.Status.COMPLETED).order_by("-pk")[:FIRST])
        scorings = Scoring.objects.filter(run__in=newest, evaluator_version__evaluator__deleted_at=None)
        pairs = scorings.order_by("-run", "pk").values_list(
            "run", "run__variant", "evaluator_version__evaluator", "evaluator_version__evaluator__name"
        )
        by_label: dict[str, str] = {}
        for run, variant, evaluator, name in pairs:
            value, label = f"worst:{run}:{evaluator}", f"5 worst of {variant} by {name}"
            if label not in by_label or value == self.source:
                by_label[label] = value
        return [(value, label) for label, value in by_label.items()][:MOST_OFFERED]

    def chosen(self) -> TrialExamples:
        if self.source == "typed":
            return examples.typed(self._typed_rows())
        if self.source.startswith("worst:"):
            return self._worst()
        if self.dataset is None:
            message = "Choose a dataset, or type the inputs."
            raise Invalid("invalid_trial", message, fields={"examples": [message]})
        if self.source == "random":
            seed = whole(self.seed, 9)
            return examples.at_random(self.dataset, examples.MOST_EXAMPLES, 1 if seed is None else seed)
        return examples.named(
            self.dataset, [name for part in self.names.split(",") if (name := part.strip())]
        )

    def _worst(self) -> TrialExamples:
        _, run, evaluator = [*self.source.split(":"), "", ""][:3]
        if self.source not in dict(self.worst):
            raise NotFound("not_found", "These scores no longer exist. Choose other examples.")
        run_of = Run.objects.select_related("experiment__dataset")
        return examples.worst(run_of.get(pk=run), Evaluator.objects.get(pk=evaluator), examples.MOST_EXAMPLES)

    def _typed_rows(self) -> list[Mapping[str, Any]]:
        """The typed inputs of each line, with the reference on the same line."""
        pairs = zip_longest(_lines(self.lines), _lines(self.references), fillvalue="")
        return [self._typed_row(inputs, reference) for inputs, reference in pairs if inputs or reference]

    def _typed_row(self, inputs: str, reference: str) -> Mapping[str, Any]:
        if not inputs:
            message = f"The reference “{reference[:60]}” is on a line without an example."
            raise Invalid("invalid_trial", message, fields={"references": [message]})
        return {"inputs": self._inputs(inputs), "reference": _reference(reference)}

    def _inputs(self, line: str) -> dict[str, Any]:
        """The inputs of a line: a JSON object, or the value of the only variable."""
        names = self.variables
        if line.startswith("{"):
            return _parsed(line)
        if len(names) != 1:
            message = 'With several variables, each line must be JSON, such as {"question": "…"}.'
            raise Invalid("invalid_trial", message, fields={"inputs": [message]})
        return {names[0]: line}

    @property
    def variables(self) -> list[str]:
        """The variables of all chosen variants."""
        names = (name for variant in self.variants for name in variant.content.variables)
        return list(dict.fromkeys(name.partition(".")[0] for name in names))

    # ---- evaluators ------------------------------------------------------------------------------------------

    @cached_property
    def offered_evaluators(self) -> list[OfferedEvaluator]:
        """The evaluator that suits the examples, then those of the project, oldest first."""
        scored = evaluators.computed(self.project).exclude(versions__kind__in=formulas.DERIVED)
        others = [(choices.value_of(one), one.name) for one in scored.order_by("pk")[:MOST_OFFERED]]
        suited = [(value, choices.name_of(self.project, value)) for value in self.suggested]
        offered = dict.fromkeys([*suited, *others])
        ticked = self._ticked
        if ticked and ticked.isdisjoint(value for value, _ in offered):  # those of a draft were deleted
            ticked = {*self.suggested}
        return [OfferedEvaluator(*one, one[0] in ticked) for one in offered]

    @property
    def evaluators(self) -> list[OfferedEvaluator]:
        return [evaluator for evaluator in self.offered_evaluators if evaluator.is_ticked]

    @property
    def _ticked(self) -> set[str]:
        """What a person chose; what was only suggested follows the dataset and what decided there."""
        ticked = self._texts("try_evaluators", self.suggested)
        if self.form_data and sorted(ticked) == sorted(self.form_data.getlist("try_suggested")):
            ticked = self.suggested
        return {choices.settled(self.project, value) for value in ticked}

    @cached_property
    def suggested(self) -> list[str]:
        """The evaluator that decides about the dataset if it can score a trial, else one for the references."""
        return choices.suggested(self.project, self.advice)

    @cached_property
    def advice(self) -> Advice | None:
        """Why that one is suggested."""
        if self.dataset is None:
            typed = [line for line in _lines(self.references) if line and not line.startswith("{")]
            return Advice.of_data(typed)
        advised = advice.of_dataset(self.dataset)
        if advised and advised.evaluator and not _is_free(advised.evaluator):
            return advice.of_references(self.dataset)
        return advised

    @property
    def evidence_rows(self) -> list[Row]:
        """Rows of earlier answers, which the suggested evaluator and others score."""
        return rows_of(self.advice.evidence) if self.advice and self.advice.evidence else []

    @property
    def is_as_suggested(self) -> bool:
        return bool(self.suggested) and self.suggested[0] in self._ticked

    def chosen_evaluators(self, user: User) -> list[Evaluator]:
        """The ticked evaluators; one that was only suggested is created."""
        return choices.chosen(self.project, user, [evaluator.value for evaluator in self.evaluators])


def _is_free(evaluator: Evaluator) -> bool:
    """Whether an evaluator scores a trial without a call: not those whose scores are kept or derived."""
    kind = kinds.get(evaluators.newest(evaluator).kind)
    return not (kind.needs_connection or kind.is_recorded or kind.is_derived)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in clean(text).splitlines()]


def _reference(line: str) -> dict[str, Any] | str | None:
    """The reference of a line: a JSON object, or a text; None for an empty line."""
    return _parsed(line, "references") if line.startswith("{") else line or None


def _parsed(line: str, field: str = "inputs") -> dict[str, Any]:
    """The JSON object of a line, {} for other values; raises `Invalid` for invalid JSON."""
    try:
        value = parsed(line)
    except ValidationError as wrong:
        message = f"“{line[:60]}”: {wrong.messages[0]}"
        raise Invalid("invalid_trial", message, fields={field: [message]}) from wrong
    return value if isinstance(value, dict) else {}
