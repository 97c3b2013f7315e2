"""Check boxes for the evaluators of a project, and for presets that it has not used."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from evaluations.evaluators import evaluators
from evaluations.evaluators.evaluators import OUTPUT_TO_REFERENCE
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import advice, column_outputs, experiments
from evaluations.experiments.advice import LOOKED_AT, Advice
from evaluations.experiments.advised_choice import AdvisedChoice, is_named_by_advice
from evaluations.imports.own_scores import NONE
from evaluations.kinds import CATALOGUE, ConfigError, Kind
from evaluations.kinds import get as kind_of
from evaluations.kinds.choosing import ADVICE
from evaluations.kinds.evidence import Line
from evaluations.kinds.presets import BY_KEY, PRESETS, Preset
from evaluations.metrics import meaning
from evaluations.models import Dataset, Evaluator, EvaluatorVersion, Project
from evaluations.numerals import whole
from evaluations.scoring.paid_scores import Estimate

from .choices import EVALUATOR, Choice, Chooser, Group, Groups, Row, id_of, rows_of
from .form import Form

# a chosen dataset brings the evaluators that suit it
ADVISES = {
    "hx-get": "",
    "hx-include": "#advised",
    "hx-target": "#advised",
    "hx-select": "#advised",
    "hx-swap": "outerHTML",
    "hx-sync": "this:replace",
    "data-find": "Find a dataset",
}


def _works_as_it_is(kind: Kind) -> bool:
    """Whether a kind compares the output with the reference, without required settings or a server."""
    try:
        kind.parse({})
    except ConfigError:
        return False
    return "expected" in kind.parameters and not kind.needs_connection


def use_of(kind: Kind) -> str:
    """What a kind is for, in the words that a list has for an evaluator of it too."""
    return ADVICE[kind.key].when.removesuffix(".") if kind.key in ADVICE else kind.summary


# kinds without a preset, with their default settings
STANDARD = {
    kind.key: Preset(kind.key, kind.title, kind.key, "Evalsite", (use_of(kind),), ())
    for kind in CATALOGUE.values()
    if _works_as_it_is(kind) and kind.key not in {preset.kind for preset in PRESETS}
}

if meaning.is_installed():
    STANDARD["semantic_similarity"] = Preset(
        "built_in_meaning",
        "Semantic similarity, built in",
        "semantic_similarity",
        "Evalsite",
        ("Closeness in meaning, without a connection",),
        (),
        config={"model": meaning.MODEL},
    )

# kinds that the lists offer without a form
READY = {*STANDARD, *(preset.kind for preset in PRESETS if not kind_of(preset.kind).needs_connection)}

# the same kinds, against all reference columns of a dataset at once
SEVERAL = {
    kind.key: Preset(kind.key, f"{kind.title}, several references", kind.key, "Evalsite", (use_of(kind),), ())
    for kind in CATALOGUE.values()
    if kind.several
}
EACH_REFERENCE = {"many": "references"}


def groups(project: Project, without: Iterable[int] = (), *, has_several_references: bool = False) -> Groups:
    """The project's evaluators, then unused presets that need no server, as groups of choices."""
    saved = evaluators.computed(project).order_by("name")
    left_out = set(without)
    offered = {
        "Evaluators and judges of this project": [
            (f"evaluator:{evaluator.pk}", evaluator.name)
            for evaluator in saved
            if evaluator.pk not in left_out
        ],
        "Presets": [
            (f"preset:{preset.key}", f"{preset.title}: {preset.uses[0]}")
            for preset in PRESETS
            if not kind_of(preset.kind).needs_connection and not evaluators.like_preset(project, preset)
        ],
        "Other evaluators, with their default settings": [
            (f"kind:{key}", f"{preset.title}: {preset.uses[0]}")
            for key, preset in STANDARD.items()
            if not evaluators.like_preset(project, preset)
        ],
        "Against all reference columns at once": [
            (f"references:{key}", f"{preset.title}: {preset.uses[0]}")
            for key, preset in SEVERAL.items()
            if has_several_references and not evaluators.like_preset(project, preset, EACH_REFERENCE)
        ],
    }
    return [(name, group) for name, group in offered.items() if group]


def has_several_references(datasets: Iterable[Dataset]) -> bool:
    return any(len(dataset.columns.get("reference", ())) > 1 for dataset in datasets)


def _advised(value: str) -> AdvisedChoice | None:
    """The choice that advice made; None for the value of another choice."""
    choice = AdvisedChoice.of_value(value)
    return choice if choice and choice.kind in READY else None


class EvaluatorsField(forms.MultipleChoiceField):
    """Evaluators and presets that are offered, and what advice made of the rows.

    `scored` are values of evaluators that score everything already: a page that is still open in another tab may offer
    them.
    """

    scored: Collection[str] = ()

    def valid_value(self, value: Any) -> bool:
        return super().valid_value(value) or value in self.scored or _advised(str(value)) is not None


def suggested(project: Project, advice: Advice | None) -> list[str]:
    """The value to select at first: what the advice recommends, alone; nothing without or in doubt: it may mislead."""
    return [recommended(project, advice)] if advice and not advice.doubt else []


def recommended(project: Project, advice: Advice) -> str:
    """The value of the evaluator that the advice recommends."""
    if advice.evaluator:
        return value_of(advice.evaluator)
    if advice.mapping != OUTPUT_TO_REFERENCE or advice.config:
        value = AdvisedChoice(advice.kind, advice.config, advice.mapping).value
    elif advice.kind in STANDARD:
        value = f"kind:{advice.kind}"
    else:
        value = f"preset:{next(preset.key for preset in PRESETS if preset.kind == advice.kind)}"
    return settled(project, value)


def _suggested_for(project: Project, dataset: Dataset) -> list[str]:
    return suggested(project, advice.of_dataset(dataset))


def value_of(evaluator: Evaluator) -> str:
    return f"evaluator:{evaluator.pk}"


def settled(project: Project, value: str) -> str:
    """The value of the project's evaluator that a choice means, if it exists; else the value itself."""
    source, _, key = value.partition(":")
    existing = None
    if advised := _advised(value):
        existing = evaluators.like_preset(project, advised.preset, advised.mapping)
    elif preset := {"kind": STANDARD, "preset": BY_KEY}.get(source, {}).get(key):
        existing = evaluators.of_preset_kind(project, preset, _was_advised)
    return value_of(existing) if existing else value


def _was_advised(version: EvaluatorVersion) -> bool:
    """Whether an evaluator has the name that advice gives, as "List F1": its settings were advised for other data."""
    return is_named_by_advice(version.evaluator.name, version.kind)


def name_of(project: Project, value: str) -> str:
    """The name of an offered choice."""
    source, _, key = value.partition(":")
    if advised := _advised(value):
        return advised.label
    if source == "evaluator":
        return evaluators.computed(project).get(pk=key).name
    return (STANDARD[key] if source == "kind" else BY_KEY[key]).title


def chosen(project: Project, user: User, values: Iterable[str]) -> list[Evaluator]:
    """The selected evaluators; those of selected presets are created. The form has validated the values."""
    evaluators_chosen = []
    for value in values:
        source, _, key = value.partition(":")
        if source == "evaluator":
            evaluators_chosen.append(evaluators.computed(project).get(pk=key))
        elif source == "references":
            evaluators_chosen.append(evaluators.from_preset(project, user, SEVERAL[key], EACH_REFERENCE))
        elif advised := _advised(value):
            evaluators_chosen.append(evaluators.from_preset(project, user, advised.preset, advised.mapping))
        else:
            preset = STANDARD[key] if source == "kind" else BY_KEY[key]
            evaluators_chosen.append(evaluators.from_preset(project, user, preset))
    return evaluators_chosen


def recipe_of(project: Project, value: str) -> Recipe | None:
    """The recipe of a choice; None if the choice does not exist."""
    source, _, key = value.partition(":")
    if source == "evaluator":
        evaluator = evaluators.computed(project).filter(pk=whole(key) or 0).first()
        return Recipe.from_version(experiments.newest([evaluator])[0]) if evaluator else None
    if source == "references":
        return Recipe.compile(key, {}, EACH_REFERENCE) if key in SEVERAL else None
    if advised := _advised(value):
        return Recipe.compile(*advised)
    preset = (STANDARD if source == "kind" else BY_KEY).get(key)
    return Recipe.compile(preset.kind, preset.config, {}) if preset else None


class PrimaryFirst(forms.CheckboxSelectMultiple):
    """Check boxes, each with a radio button: the one marked as `primary` becomes the first value."""

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, UploadedFile[Any]]", name: str
    ) -> list[str]:
        selected: list[str] = super().value_from_datadict(data, files, name) or []
        return sorted(selected, key=lambda value: value != data.get("primary"))


class ChooserForm(Form):
    """A form with check boxes for evaluators, in groups with headings."""

    kinds_with_settings = [kind for kind in CATALOGUE.values() if kind.key not in READY]
    advice: Advice | None = None  # why the selected evaluator is recommended
    from_mapping: Sequence[str] = ()  # the selected evaluators, if a mapping names them
    in_doubt = ""  # what the advice recommends without selecting it
    looked_at = 0  # the first rows on which the advice rests, if there are more
    scored_by: Collection[int] = ()  # ids of the evaluators that score the runs already
    used_as: Mapping[int, str] = MappingProxyType(
        {}
    )  # of those with equal settings, the one that scores them
    # of kinds whose evaluators score the runs already, so that others add little, the newest of these evaluators
    kinds_here: Mapping[str, Evaluator] = MappingProxyType({})
    estimates: Collection[Estimate] = ()  # what those that call a server would cost
    project: Project

    @property
    def evidence_rows(self) -> list[Row]:
        """The rows that the advice shows, each as the part where it differs from the others."""
        return rows_of(self.advice.evidence) if self.advice and self.advice.evidence else []

    @cached_property
    def evaluator_groups(self) -> list[Group]:
        """The selected evaluators, in their order, and those of the evidence; then the others under their headings."""
        selected = list(dict.fromkeys(self["evaluators"].value() or []))
        offered = cast(Groups, self.choice_field("evaluators").choices)
        labels = {value: label for _, group in offered for value, label in group}
        lines = _with_alike(self.project, _lines(self.project, self.advice), labels)
        here = {f"{EVALUATOR}{pk}" for pk in self.scored_by}
        lines = {
            value: line
            for value, line in lines.items()
            if line.is_advised or value in here or line.kind not in self.kinds_here
        }
        labels |= {one.value: one.label for one in map(_advised, [*selected, self.in_doubt, *lines]) if one}
        return Chooser(
            offered,
            labels,
            selected,
            lines,
            next(iter(lines), self.in_doubt),
            self.scored_by,
            self.estimates,
            self.used_as,
            self.kinds_here,
        ).groups()

    @property
    def advised(self) -> Choice | None:
        """The recommended evaluator, if it is selected first."""
        value = recommended(self.project, self.advice) if self.advice else ""
        choices = (choice for group in self.evaluator_groups for choice in group.choices)
        return next((choice for choice in choices if choice.is_primary and choice.value == value), None)

    @property
    def suits(self) -> Choice | None:
        """The recommended evaluator, selected or not."""
        return next(
            (choice for group in self.evaluator_groups for choice in group.choices if choice.is_advised), None
        )

    @property
    def judged_by(self) -> str:
        """The evaluator that calls the shown rows right and wrong, by the name that its own row has."""
        if self.suits:
            return self.suits.name
        return self.advice.evidence.lines[0].title if self.advice and self.advice.evidence else ""

    @property
    def suits_as(self) -> Evaluator | None:
        """The evaluator of the recommended kind that scores the runs already, unless the list offers another of it."""
        if (self.suits and not self.suits.is_used) or not (self.advice and self.advice.evidence):
            return None
        return self.kinds_here.get(self.advice.kind)


def looked_at(advice: Advice | None, rows: int) -> int:
    """On how many first rows an advice rests, if these are not all and their contents are its reason; else 0."""
    return LOOKED_AT if advice and advice.evaluator is None and rows > LOOKED_AT else 0


def _lines(project: Project, advice: Advice | None) -> dict[str, Line]:
    """What the evidence says, by the value of the evaluator; that of the recommended one comes first."""
    found: dict[str, Line] = {}
    for line in advice.evidence.lines if advice and advice.evidence else ():
        if line.is_advised and advice:
            value = recommended(project, advice)
        elif line.mapping is not None:
            value = settled(project, AdvisedChoice(line.kind, {}, line.mapping).value)
        else:
            value = _with_defaults(project, line.kind)
        found.setdefault(value, line)
    return found


def _with_alike(project: Project, lines: dict[str, Line], labels: Mapping[str, str]) -> dict[str, Line]:
    """Adds the lines that find nothing for the other evaluators on offer that have the same settings."""
    empty = {value: line for value, line in lines.items() if line.finds_nothing and value in labels}
    ids = {pk for value in empty if (pk := id_of(value))}
    alike = evaluators.alike(project, ids) if ids else {}
    by_name = {labels[value]: line for value, line in empty.items()}
    others = {f"{EVALUATOR}{pk}": by_name[name] for pk, name in alike.items() if name in by_name}
    return lines | {value: line for value, line in others.items() if value in labels and value not in lines}


def _with_defaults(project: Project, kind: str) -> str:
    """The value of a kind with its default settings."""
    preset = STANDARD.get(kind) or next(preset for preset in PRESETS if preset.kind == kind)
    if existing := evaluators.like_preset(project, preset):
        return value_of(existing)
    return f"kind:{kind}" if kind in STANDARD else f"preset:{preset.key}"


class PrimaryForm(ChooserForm):
    """Base of forms that create an experiment: the first of its evaluators is the primary one."""

    evaluators = EvaluatorsField(required=False, label="Score with", widget=PrimaryFirst)
    lacks_reference = False
    own_score = NONE  # the outside score that decides if no evaluator is selected
    with_outputs: Dataset | None = None  # the dataset whose columns may be variants
    lacks_outputs = False  # whether it has those only: no run on it yet
    advised_for = ""  # the id of the dataset for which evaluators are selected

    def take_advice(self, project: Project, query: QueryDict) -> None:
        """Select evaluators for the dataset that the form shows; those of a link, or of a person's choice, stay."""
        shown = self._dataset(str(self.initial.get("dataset") or ""))
        self.with_outputs = shown if shown and column_outputs.candidates(shown) else None
        self.lacks_outputs = bool(self.with_outputs) and not column_outputs.is_answered(self.with_outputs)
        selected = self.selected(query)
        before = self._dataset(query.get("advised_for", "")) if "advised_for" in query else None
        if selected and (before is None or sorted(selected) != sorted(_suggested_for(project, before))):
            self.initial["evaluators"] = selected
            return
        self._show_advice(shown)
        self.initial["evaluators"] = suggested(project, self.advice)

    def keep_advice(self, typed: QueryDict) -> None:
        """Show the advice that the form had when it was sent; what a person selected stays."""
        if pk := typed.get("advised_for", ""):
            self._show_advice(self._dataset(pk))

    def _show_advice(self, dataset: Dataset | None) -> None:
        self.advice = advice.of_dataset(dataset) if dataset else None
        self.lacks_reference = bool(dataset and not dataset.columns.get("reference"))
        self.advised_for = str(dataset.pk) if dataset else ""
        self.looked_at = looked_at(self.advice, dataset.example_count if dataset else 0)

    def _dataset(self, pk: str) -> Dataset | None:
        """The dataset with this id; the first one if the text is no id."""
        datasets = cast("QuerySet[Dataset]", self.object_field("dataset").queryset)
        return datasets.first() if whole(pk) is None else datasets.filter(pk=pk).first()

    @classmethod
    def selected(cls, form_data: QueryDict) -> list[str]:
        """The values of the selected evaluators, the primary one first."""
        widget = cls.base_fields["evaluators"].widget
        values: list[str] = widget.value_from_datadict(form_data, MultiValueDict(), "evaluators")
        return values
