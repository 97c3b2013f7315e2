"""The form of a trial on the bench of a prompt: examples and evaluators for the variants in its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from django.core.exceptions import ValidationError
from django.http import QueryDict

from evaluations import kinds
from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound, Refusal
from evaluations.evaluators import evaluators, formulas
from evaluations.experiments import advice
from evaluations.ingest.text import clean
from evaluations.models import Dataset, Evaluator, Project, Run, Scoring
from evaluations.playground import costs, examples
from evaluations.playground.examples import TrialExamples
from evaluations.playground.trials import Variant

from .json_field import parsed

MOST_OFFERED = 50
FIRST = 10  # runs, or evaluators, that are looked at
EVALUATORS = 2  # number of initially selected evaluators


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

    @property
    def highest_cost(self) -> int | None:
        """The maximum cost of the choices; None if it is unknown, or if nothing can be asked yet."""
        try:
            return costs.highest(self.project, self.variants, self.chosen())
        except Refusal:
            return None

    @property
    def cache(self) -> bool:
        return bool(self._texts("try_cache", ["1"]))

    # ---- examples --------------------------------------------------------------------------------------------

    @property
    def source(self) -> str:
        return self._text("try_from", "named" if self.dataset else "typed")

    @property
    def names(self) -> str:
        return self._text("try_names", ", ".join(str(position) for position in self._first_positions))

    @cached_property
    def _first_positions(self) -> list[int]:
        if self.dataset is None:
            return []
        return list(datasets.examples(self.dataset).values_list("position", flat=True)[:3])

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
        """Runs with scores, from which the worst examples can be taken: value and label."""
        runs = Run.objects.live().filter(experiment__deleted_at=None, experiment__dataset=self.dataset)
        newest = list(runs.filter(status=Run.Status.COMPLETED).order_by("-pk")[:FIRST])
        scorings = Scoring.objects.filter(run__in=newest, evaluator_version__evaluator__deleted_at=None)
        pairs = scorings.order_by("-run", "pk").values_list(
            "run", "run__variant", "evaluator_version__evaluator", "evaluator_version__evaluator__name"
        )
        labels = {
            f"worst:{run}:{evaluator}": f"5 worst of {variant} by {name}"
            for run, variant, evaluator, name in pairs
        }
        return list(labels.items())[:MOST_OFFERED]

    def chosen(self) -> TrialExamples:
        if self.source == "typed":
            return examples.typed(self._typed_rows())
        if self.source.startswith("worst:"):
            return self._worst()
        if self.dataset is None:
            message = "Choose a dataset, or type the inputs."
            raise Invalid("invalid_trial", message, fields={"examples": [message]})
        if self.source == "random":
            seed = self.seed if self.seed.isascii() and self.seed.isdigit() and len(self.seed) < 10 else "1"
            return examples.at_random(self.dataset, examples.MOST_EXAMPLES, int(seed))
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
    def offered_evaluators(self) -> list[Evaluator]:
        """The evaluator that suits the dataset, then the others, oldest first."""
        scored = evaluators.computed(self.project).exclude(versions__kind__in=formulas.DERIVED)
        others = list(scored.order_by("pk")[:MOST_OFFERED])
        return list(dict.fromkeys([*([self._suited] if self._suited else []), *others]))

    @property
    def evaluators(self) -> list[Evaluator]:
        chosen = set(
            self._texts("try_evaluators", [str(evaluator.pk) for evaluator in self._suited_evaluators])
        )
        return [evaluator for evaluator in self.offered_evaluators if str(evaluator.pk) in chosen]

    @cached_property
    def _suited(self) -> Evaluator | None:
        """The evaluator that suits the dataset, if it calls no server."""
        suited = advice.evaluator_of(self.dataset) if self.dataset else None
        return suited if suited and _is_free(suited) else None

    @property
    def _suited_evaluators(self) -> list[Evaluator]:
        """The evaluator that suits the dataset; without one, the first ones that call no server."""
        if self._suited:
            return [self._suited]
        return [evaluator for evaluator in self.offered_evaluators[:FIRST] if _is_free(evaluator)][
            :EVALUATORS
        ]


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
