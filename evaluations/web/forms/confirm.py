"""The last step of an upload: a name, and the treatment of rows that cannot be imported."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from django import forms

from evaluations import ingest, numerals, owned
from evaluations.experiments import advice, remembered
from evaluations.experiments.advice import Advice
from evaluations.imports.forecasts import Forecast
from evaluations.imports.own_scores import NONE, OwnScore
from evaluations.models import Dataset, Evaluator, Upload
from evaluations.values import LONGEST_NAME
from evaluations.web.page_tools.texts import pretty

from .choices import Groups
from .evaluators import PrimaryForm, looked_at, recommended, suggested
from .json_field import JSONField
from .labels import LabelsForm

FILE_IS = {"append": "New examples", "merge": "New and changed examples", "mirror": "The whole dataset"}
MODES = (
    ("append", f"{FILE_IS['append']}: adds examples that the dataset lacks"),
    ("merge", f"{FILE_IS['merge']}: also changes examples whose key exists"),
    ("mirror", f"{FILE_IS['mirror']}: also removes examples that the file lacks; every row must be valid"),
)
MOST_OFFERED = 200  # variants
DUPLICATES = (("keep", "Keep them"), ("skip", "Skip them"), ("fail", "Refuse them"))


class ConfirmForm(LabelsForm, PrimaryForm):
    """The name of a new dataset, or how the file changes an existing one; and the treatment of bad rows.

    `variants` are those of the file, in its order; the baseline is the only one that its name calls older or in use,
    else the first. `known` are the evaluators of the mapping that was chosen, else of the last file with the same
    header. `own_score` is an outside score that decides unless another evaluator is selected.
    """

    object_fields = ("evaluators",)
    dropped = ""  # the remembered evaluator that finds nothing in this file
    others_known = 0  # of the same mapping, beside the remembered evaluator that decides

    name = forms.CharField(max_length=LONGEST_NAME)
    baseline = forms.ChoiceField(
        required=False, help_text="The variant that the others are compared with, such as the one in use."
    )
    mode = forms.ChoiceField(
        label="The file contains", choices=MODES, initial="append", required=False, widget=forms.RadioSelect
    )
    duplicates = forms.ChoiceField(
        label="Rows with the same contents as another example",
        choices=DUPLICATES,
        initial="keep",
        required=False,
        widget=forms.RadioSelect,
    )
    on_error = forms.ChoiceField(
        label="Rows that cannot be imported",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what becomes of the rows that cannot be imported."},
    )
    schema = JSONField(
        dict,
        label="Allowed values of columns",
        help_text='JSON Schema by part and column: {"reference": {"answer": {"type": "string", "minLength": 1}}}.'
        " Rows that do not fit count as rows that cannot be imported.",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "input code"}),
    )
    save_as = forms.CharField(
        label="Save the mapping as",
        required=False,
        max_length=LONGEST_NAME,
        help_text="Choose this name at later uploads to use the same mapping.",
        widget=forms.TextInput({"class": "input", "autocomplete": "off"}),
    )

    def __init__(
        self,
        *args: Any,
        upload: Upload,
        forecast: Forecast,
        evaluators: Groups,
        variants: Sequence[str] = (),
        known: Collection[int] = (),
        is_chosen: bool = False,
        has_reference: bool = True,
        own_score: OwnScore = NONE,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.project = upload.project
        self.fields["name"].initial = upload.mapping.get("name") or free_name(upload)
        self.choice_field("baseline").choices = [(variant, variant) for variant in variants]
        self.fields["baseline"].initial = ingest.in_use(variants)
        if not 1 < len(variants) <= MOST_OFFERED:
            del self.fields["baseline"]
        file_schema = upload.mapping.get("schema")
        self.fields["schema"].initial = pretty(file_schema) if file_schema else ""
        self.fields["duplicates"].initial = upload.mapping.get("duplicates", "keep")
        self.choice_field("on_error").choices = answers_to_errors(forecast)
        if forecast.effects:
            effects = [f"{label} ({in_words(forecast.effects[mode])})" for mode, label in MODES]
            self.choice_field("mode").choices = [*zip(dict(MODES), effects, strict=True)]
        self.fields["on_error"].initial = None if forecast.refused else "reject"  # nobody loses rows unasked
        self.choice_field("evaluators").choices = evaluators
        offered = {value for _, group in evaluators for value, _ in group}
        kept = [pk for pk in known if f"evaluator:{pk}" in offered]
        if kept and not is_chosen and advice.is_outgrown(kept[0], forecast.advice):
            kept = []
        if kept and not is_chosen and forecast.advice and (dropped := _finding_none(kept[0], forecast)):
            self.dropped, kept = dropped.name, []
        self.from_mapping = [f"evaluator:{pk}" for pk in kept]
        self.own_score = NONE if self.from_mapping else own_score
        self.advice = None if own_score.name else forecast.advice
        if kept:
            self.advice = _of_known(kept[0], forecast, is_chosen=is_chosen)
        elif self.advice and self.advice.doubt:
            self.in_doubt = recommended(upload.project, self.advice)
        self.others_known = len(kept) - 1
        self.looked_at = looked_at(self.advice, forecast.good)
        self.lacks_reference = not has_reference
        advised = [] if own_score.name else suggested(upload.project, self.advice)
        self.fields["evaluators"].initial = self.from_mapping or advised


def _of_known(primary: int, forecast: Forecast, *, is_chosen: bool) -> Advice:
    """The advice to take a remembered evaluator, with what it says of the outputs that were looked at."""
    evaluator = Evaluator.objects.get(pk=primary)
    why = "the mapping names it" if is_chosen else "it decided about the last file with these columns"
    return Advice(evaluator, "", why, remembered.evidence_of(evaluator, forecast.pairs))


def _finding_none(primary: int, forecast: Forecast) -> Evaluator | None:
    """The remembered evaluator, if it finds none of the outputs that were looked at right."""
    evaluator = Evaluator.objects.get(pk=primary)
    return evaluator if remembered.finds_none(evaluator, forecast.pairs) else None


def in_words(effects: Mapping[str, int]) -> str:
    """
    >>> in_words({"added": 2, "changed": 0, "removed": 59}), in_words({"added": 0})
    ('2 added, 59 removed', 'nothing changes')
    """
    return ", ".join(f"{numerals.grouped(n)} {kind}" for kind, n in effects.items() if n) or "nothing changes"


def answers_to_errors(forecast: Forecast) -> list[tuple[str, str]]:
    """The choices for bad rows; if the forecast has some, importing the good rows comes first, and none is chosen."""
    stop = ("reject", "If any row cannot be imported, import nothing and list every problem")
    if not forecast.refused:
        return [stop, ("skip", "Import the valid rows and skip the others")]
    good, bad = numerals.plural(forecast.good, "valid row"), numerals.plural(forecast.refused, "row")
    so_far = "" if forecast.whole else " so far"
    return [("skip", f"Import the {good} and skip {bad}{so_far}"), stop]


def free_name(upload: Upload) -> str:
    """A name for the dataset of the file that no other dataset has."""
    datasets = Dataset.objects.live().filter(project=upload.project)
    return owned.free_name(datasets, stem(upload.filename), owned.numbered())


def stem(filename: str) -> str:
    """The file name without its endings; "Pasted rows" for pasted text.

    >>> stem("answers.csv.gz"), stem("pasted.txt")
    ('answers', 'Pasted rows')
    """
    name = PurePosixPath(filename.removesuffix(".gz")).stem
    return "Pasted rows" if name == "pasted" else name
