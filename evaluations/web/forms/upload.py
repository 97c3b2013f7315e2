"""The three steps of an upload: a file, the roles of its columns, and a name."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.core.files import File
from django.core.files.base import ContentFile

from evaluations import ingest, numerals
from evaluations.errors import Invalid
from evaluations.imports import column_paths
from evaluations.imports.columnmap import LONG
from evaluations.imports.forecasts import Forecast
from evaluations.ingest.suggest import output_of
from evaluations.models import Dataset, Upload
from evaluations.values import JSON

from . import score_roles
from .evaluators import Groups, suggested
from .form import Form

ROLES = {
    "input": "Input",
    "reference": "Reference",
    "metadata": "Metadata",
    "key": "Key",
    "output": "Output",
    "variant": "Variant name",
    "score": "Score",
    "low score": "Score, lower is better",
    "leave out": "Leave out",
}
SCORE_ROLES = ("score", "low score")
COLUMN_ROLES = ("variant", *SCORE_ROLES)  # not of what lies inside a column
OUTPUT_ROLES = ("output", "variant", *SCORE_ROLES)
PARTS = {"input": "inputs", "reference": "reference", "metadata": "metadata"}
ROLE_OF = {part: role for role, part in PARTS.items()}
ENCODINGS = ("utf-8", "utf-16", *ingest.ENCODINGS)
LONGEST_PASTE = 10_000_000


class FileForm(Form):
    """A file, or its content as text."""

    file = forms.FileField(required=False, allow_empty_file=True)
    text = forms.CharField(
        required=False, strip=False, max_length=LONGEST_PASTE, label="Or paste CSV or JSON Lines"
    )

    def clean(self) -> dict[str, Any]:
        sent = super().clean()
        if not sent.get("file") and not sent.get("text", "").strip() and not self.errors:
            raise forms.ValidationError("Choose a file or paste its text.")
        return sent

    @property
    def sent(self) -> File:
        file, text = self.cleaned_data["file"], self.cleaned_data["text"]
        return file or ContentFile(text.replace("\r\n", "\n").encode(), name="pasted.txt")


@dataclass(frozen=True)
class Choice:
    """The role of a column, or of a path into a nested one, with a value. `number` names its fields in the form."""

    number: int
    source: str
    role: str
    variant: str = ""
    suggested: bool = False
    example: JSON = None


@dataclass(frozen=True)
class ColumnChoices:
    """The roles of a file's columns."""

    columns: list[Choice]
    paths: list[Choice]

    @classmethod
    def suggested(
        cls, preview: ingest.Preview, known: Mapping[str, Any], dataset: Dataset | None
    ) -> "ColumnChoices":
        """Roles chosen before, else those of well-known names or of the columns of `dataset`."""
        by_name = _roles_of(dataset) if dataset else _suggested_roles(preview)
        variants = {source: variant for variant, source in preview.outputs.items()}
        columns = []
        for number, name in enumerate(preview.columns):
            suggestion = by_name.get(name, "metadata")
            variant = variants.get(name) or output_of(name) or name
            role, variant = known.get("columns", {}).get(name) or (suggestion, variant)
            columns.append(Choice(number, name, role, variant, role == suggestion != "metadata"))
        return cls(columns, _paths(preview, known, dataset))

    @classmethod
    def from_form(cls, data: Mapping[str, str]) -> "ColumnChoices":
        """From fields such as `column-3`, `role-3`, `variant-3`; `path-3`, `path-role-3`, `path-variant-3`."""
        columns = [
            Choice(n, name, data.get(f"role-{n}", "leave out"), data.get(f"variant-{n}", "").strip())
            for n, name in _numbered(data, "column")
        ]
        paths = [
            Choice(
                n,
                path,
                data.get(f"path-role-{n}", "leave out"),
                data.get(f"path-variant-{n}", "").strip(),
            )
            for n, path in _numbered(data, "path")
        ]
        return cls(columns, paths)

    def with_role(self, names: Collection[str], role: str) -> "ColumnChoices":
        """The same with this role for these columns; an output column names its variant."""
        columns = [
            replace(choice, role=role, variant=choice.variant or choice.source)
            if choice.source in names and role in ROLES
            else choice
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    def without_role(self, names: Iterable[str], role: str) -> list[str]:
        """Those of the columns that do not have this role."""
        chosen = {choice.source for choice in self.columns if choice.role == role}
        return [name for name in names if name not in chosen]

    def as_long(self, long: Mapping[str, Any]) -> "ColumnChoices":
        """The same for a file with a row for each variant; columns that differ between the variants are left out."""
        roles = dict.fromkeys(long["varying"], "leave out") | {
            long["variant"]: "variant",
            long["output"]: "output",
        }
        columns = [
            replace(
                choice, role=roles.get(choice.source, "metadata" if choice.role == "output" else choice.role)
            )
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "ColumnChoices":
        """The choices that led to a stored mapping."""
        inside = dict(mapping.get("paths", ()))
        parts = [(name, role) for role, part in PARTS.items() for name in mapping[part]]
        parts += [(mapping["key"], "key")] if mapping["key"] else []
        roles = [(name, role, "") for name, role in parts if name not in inside]
        plain = {variant: source for variant, source in mapping["outputs"].items() if source[:1] != "$"}
        roles += [(source, "output", variant) for variant, source in plain.items()]
        roles += [(mapping["variant"], "variant", "")] if mapping.get("variant") else []
        lower, scores = mapping.get("lower", ()), mapping.get("scores", ())
        roles += [(column, SCORE_ROLES[name in lower], variant) for name, variant, column in scores]
        paths = [(s, "output", variant) for variant, s in mapping["outputs"].items() if variant not in plain]
        paths += [(inside[name], role, "") for name, role in parts if name in inside]
        return cls([Choice(0, *role) for role in roles], [Choice(0, *path) for path in paths])

    def added_to(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Kept with the upload: these choices, and older ones for columns that only another reading shows."""
        chosen = {
            "columns": {choice.source: [choice.role, choice.variant] for choice in self.columns},
            "paths": {choice.source: [choice.role, choice.variant] for choice in self.paths},
        }
        return {**known, **{name: known.get(name, {}) | roles for name, roles in chosen.items()}}

    def mapping(self) -> dict[str, Any]:
        """The mapping of the API; raises `Invalid` where two columns have one role that only one can have."""
        choices = (*self.columns, *self.paths)
        parts: dict[str, list[str]] = {"inputs": [], "reference": [], "metadata": [], "key": []}
        for choice in choices:
            if choice.role not in ("leave out", *OUTPUT_ROLES):
                parts[PARTS.get(choice.role, "key")].append(choice.source)
        if len(parts["key"]) > 1:
            raise Invalid("two_keys", f"Choose one key column, not {' and '.join(parts['key'])}.")
        if not parts["inputs"] and not parts["reference"]:
            raise Invalid("no_roles", "Assign at least one column as input or reference.")
        named = _long_mapping(choices)
        outputs = {} if named else _outputs(choices)
        scores = score_roles.mapping(self.columns, [LONG] if named else [*outputs])
        return {**parts, "key": next(iter(parts["key"]), None), "outputs": outputs, **named, **scores}


def _numbered(data: Mapping[str, str], name: str) -> list[tuple[int, str]]:
    """The fields `name-0`, `name-1`, … with their numbers."""
    return [(n, data[f"{name}-{n}"]) for n in range(ingest.Limits().columns) if f"{name}-{n}" in data]


def _long_mapping(choices: Iterable[Choice]) -> dict[str, str]:
    """Where a column names the variants: that column and the one with their outputs; else nothing."""
    choices = list(choices)
    variants, outputs = (
        [choice.source for choice in choices if choice.role == role] for role in ("variant", "output")
    )
    if not variants:
        return {}
    if len(variants) > 1 or len(outputs) != 1:
        raise Invalid(
            "invalid_mapping",
            "Where a column names the variant of each row, exactly one column has the outputs.",
            hint="Set one column to Variant name and one to Output.",
        )
    return {"variant": variants[0], "output": outputs[0]}


def _outputs(choices: Iterable[Choice]) -> dict[str, str]:
    """Columns and paths by the name of their variant."""
    outputs: dict[str, str] = {}
    for choice in choices:
        if choice.role == "output":
            _check_variant(outputs, choice)
            outputs[choice.variant] = choice.source
    return outputs


def _check_variant(outputs: dict[str, str], choice: Choice) -> None:
    if not choice.variant:
        raise Invalid("variant_needed", f"Name the variant of column {choice.source}.")
    if choice.variant in outputs:
        columns = f"{outputs[choice.variant]} and {choice.source}"
        raise Invalid(
            "variant_twice",
            f"Columns {columns} have the same variant name, “{choice.variant}”.",
            hint="Give each variant a different name.",
        )


# ---- suggestions -------------------------------------------------------------------------------------------


def _suggested_roles(preview: ingest.Preview) -> dict[str, str]:
    return {name: ROLE_OF.get(role, role) for name, role in preview.roles.items()}


def _roles_of(dataset: Dataset) -> dict[str, str]:
    """The roles that the dataset's columns have."""
    roles = {name: role for role, part in PARTS.items() for name in dataset.columns.get(part, ())}
    return {"key": "key", "id": "key"} | roles


def _paths(preview: ingest.Preview, known: Mapping[str, Any], dataset: Dataset | None) -> list[Choice]:
    """Possible outputs, all that lies inside opened columns, and what has a role already."""
    choices = []
    variants = {} if dataset else {source: variant for variant, source in preview.outputs.items()}
    inside = [path for name in known.get("opened", ()) for path in column_paths.paths(name, preview.rows)]
    mapped = [path for path, (role, _) in known.get("paths", {}).items() if role != "leave out"]
    offered = [] if dataset else preview.output_paths
    for number, path in enumerate(dict.fromkeys([*offered, *inside, *mapped])):
        if (column := column_paths.column_of(path)) in preview.columns:
            role = "output" if path in variants else "leave out"
            role, variant = known.get("paths", {}).get(path) or (role, variants.get(path) or f"{column}")
            seen = column_paths.example(path, preview.rows)
            choices.append(Choice(number, path, role, variant, path in variants, seen))
    return choices


# ---- confirming --------------------------------------------------------------------------------------------


MODES = (
    ("append", "More examples: add those that the dataset lacks"),
    ("merge", "More and changed examples: also change those with a known key"),
    ("mirror", "The whole dataset: also remove what the file lacks; every row must be good"),
)
DUPLICATES = (("keep", "Keep them"), ("skip", "Skip them"), ("fail", "Refuse them"))


class ConfirmForm(Form):
    """The name of a new dataset, or how a file goes into one; and what happens to rows that cannot be imported."""

    things = ("evaluators",)

    name = forms.CharField(max_length=200)
    mode = forms.ChoiceField(
        label="What the file is", choices=MODES, initial="append", required=False, widget=forms.RadioSelect
    )
    duplicates = forms.ChoiceField(
        label="Rows with the contents of another example",
        choices=DUPLICATES,
        initial="keep",
        required=False,
        widget=forms.RadioSelect,
    )
    on_error = forms.ChoiceField(label="Rows that cannot be imported", widget=forms.RadioSelect)
    evaluators = forms.MultipleChoiceField(
        required=False, label="Score with", widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self, *args: Any, upload: Upload, forecast: Forecast, evaluators: Groups, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].initial = upload.mapping.get("name") or stem(upload.filename)
        self.fields["on_error"].choices = answers_to_errors(forecast)
        self.fields["on_error"].initial = "skip" if forecast.refused else "reject"
        self.fields["evaluators"].choices = evaluators
        self.fields["evaluators"].initial = suggested(upload.project)


def answers_to_errors(forecast: Forecast) -> list[tuple[str, str]]:
    """What to do with bad rows; where some are known, importing the good ones comes first."""
    stop = ("reject", "Import nothing if a row cannot be imported, and list every problem")
    if not forecast.refused:
        return [stop, ("skip", "Import the good rows and leave the others out")]
    good, bad = numerals.plural(forecast.good, "good row"), numerals.plural(forecast.refused, "row")
    so_far = "" if forecast.whole else " so far"
    return [("skip", f"Import the {good} and leave {bad} out{so_far}"), stop]


def stem(filename: str) -> str:
    """
    >>> stem("answers.csv.gz"), stem("pasted.txt")
    ('answers', '')
    """
    name = PurePosixPath(filename.removesuffix(".gz")).stem
    return "" if name == "pasted" else name
