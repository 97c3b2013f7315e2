"""The editor of an evaluator: fields generated from the JSON Schema of its kind, and its mapping."""

from typing import Any, NamedTuple

from django import forms

from evaluations.errors import Refusal
from evaluations.kinds import Kind
from evaluations.kinds.check import CheckConfig
from evaluations.mapping.choice import Choice
from evaluations.mapping.reading import compile_steps
from evaluations.metrics import meaning
from evaluations.models import Project
from evaluations.values import LONGEST_NAME

from . import steps
from .form import Form
from .setting_fields import LinesField, connections, is_nullable, of_schema
from .steps import ShownSteps, StepsField

FINE = (
    *("max_characters", "unit", "missing_expected"),
    *("strip", "unicode", "casefold", "whitespace", "punctuation"),
)  # settings that are seldom changed, by name
LONGEST_IN_HALF_A_ROW = 24  # letters of a choice; one with more would be cut beside another field
ANY = ("any", "each is a right answer; the best counts")
MANY = (("error", "no score, an error"), ("first", "the first"), ("join", "all, one per line"))
REFERENCES = ("references", "each is a separate reference")
SEVERAL = (
    "Each value that the path of “expected” matches, and each member of a list or object there, can be a "
    "separate reference. $.expected means all reference columns, $.reference['one', 'two'] two of them."
)
SIDES = {"actual": "output", "expected": "reference"}  # what the sides are called on pages
SOURCE_KINDS = (("path", "path"), ("literal", "literal"))


def _longest_choice(field: forms.BoundField) -> int:
    widget = field.field.widget
    choices = widget.choices if isinstance(widget, forms.Select) else ()
    return max((len(str(label)) for _, label in choices), default=0)


class Side(NamedTuple):
    """The fields of what is compared with what, and what the form keeps without a field for it."""

    title: str
    by: forms.BoundField
    source: forms.BoundField
    many: forms.BoundField
    reading: ShownSteps
    kept: dict[str, Any]
    options: list[tuple[str, str]]  # paths with their labels, or "in"


class EvaluatorForm(Form):
    """`config` and `mapping` return values for `evaluators.check`."""

    object_fields = ("connection",)
    guards = True
    seen = ""  # the page names the version instead
    name = forms.CharField(max_length=LONGEST_NAME, strip=False)

    def __init__(
        self, *args: Any, kind: Kind, project: Project, mapping: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.project, self.stored_mapping = kind, project, mapping or {}
        self.settings = [
            name
            for name in kind.schema["properties"]
            if not _is_filled(kind, name) and not self._is_unused(name)
        ]
        self.sides_of = () if kind.is_derived else kind.parameters  # a formula reads no texts
        for name in self.settings:
            schema = kind.schema["properties"][name]
            self.fields[name] = connections(project, schema) if name == "connection" else of_schema(schema)
        if kind.key == "json_schema":
            self._ask_for_the_schema()
        if kind.key == "check":
            self._ask_for_phrases_by_line()
        if "model" in self.settings and project.default_connection_id is None and meaning.is_installed():
            self.fields["model"].initial = meaning.MODEL
        for name in self.mappable:
            self.fields[f"{name}_path"] = forms.CharField(
                required=False,
                label=self.fields[name].label,
                initial=self.stored_mapping.get(name, {}).get("path", ""),
                widget=forms.TextInput({"list": "paths", "spellcheck": "false", "class": "code"}),
            )
        for name in self.sides_of:
            self._add_side(name)

    def _ask_for_the_schema(self) -> None:
        """An empty field instead of a schema that everything fits; who wants that one can still write it."""
        field = self.fields["schema"]
        field.initial, field.required, field.empty_values = None, True, [None, ""]
        example = '{"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}'
        field.widget.attrs |= {"placeholder": example, "rows": 8}

    def _is_unused(self, name: str) -> bool:
        """Whether nobody needs the field: phrases stand on lines of their own, unless a check has them otherwise."""
        usual = self.kind.schema["properties"][name].get("default")
        is_separator = (self.kind.key, name) == ("check", "separator")
        return is_separator and self.initial.get(name, usual) == usual and name not in self.stored_mapping

    def _ask_for_phrases_by_line(self) -> None:
        """One phrase on each line, instead of a text that a separator splits."""
        stored = {name: self.initial[name] for name in ("phrases", "separator") if name in self.initial}
        self.fields["phrases"] = LinesField(
            label=self.fields["phrases"].label,
            help_text="One on each line. Examples can bring their own, by a path in the mapping.",
            initial=[],
        )
        self.settings.remove("phrases")
        self.settings.insert(self.settings.index("mode") + 1, "phrases")
        if "phrases" in stored:
            self.initial = {**self.initial, "phrases": CheckConfig.model_validate(stored).needles}

    @property
    def mappable(self) -> list[str]:
        """The settings that examples can bring along."""
        if self.kind.is_derived:
            return []
        return [name for name in self.settings if name not in ("connection", "model", "dimensions")]

    def _add_side(self, name: str) -> None:
        """The fields of one side: its path or literal, what several matches mean, and its reading steps."""
        source = self.stored_mapping.get(name, {})
        self.fields[f"{name}_by"] = forms.ChoiceField(
            choices=SOURCE_KINDS, initial="literal" if "literal" in source else "path"
        )
        stored_text = source.get("literal", source.get("path", f"$.{name}"))
        self.fields[f"{name}_from"] = forms.CharField(
            required=False, strip=False, initial=stored_text, widget=forms.TextInput({"list": "paths"})
        )
        is_several = name in self.kind.several
        self.fields[f"{name}_many"] = forms.ChoiceField(
            label=f"If the {SIDES.get(name, name)} has several values",
            choices=[*MANY, *((ANY,) if name == "expected" else ()), *((REFERENCES,) if is_several else ())],
            initial=source.get("many", self._many_of_all(name, self.stored_mapping.get("many"))),
            required=False,
            help_text=SEVERAL if is_several else "",
        )
        self.fields[f"{name}_read"] = StepsField(
            required=False, label=f"Read the {SIDES.get(name, name)} by", initial=source.get("read") or []
        )

    def _many_of_all(self, name: str, many: Any) -> str:
        """What the `many` of the whole mapping means for a side."""
        choices = ("first", "join", "any") if name == "expected" else ("first", "join")
        return (
            str(many) if many in choices or (many == "references" and name in self.kind.several) else "error"
        )

    def filled(self) -> "EvaluatorForm":
        """This form, bound to its initial values."""
        initial = {name: self[name].value() for name in self.fields}
        values = {name: value for name, value in initial.items() if value is not None and value is not False}
        return EvaluatorForm(values, kind=self.kind, project=self.project, mapping=self.stored_mapping)

    def parts(self) -> dict[str, list[forms.BoundField]]:
        """The fields in the groups of the page: check boxes, those with long choices, others, those seldom changed."""
        bound = [self[name] for name in self.settings]
        fine = [field for field in bound if field.name in FINE]
        bound = [field for field in bound if field not in fine]
        ticks = [field for field in bound if isinstance(field.field, forms.BooleanField)]
        wide = [field for field in bound if _longest_choice(field) > LONGEST_IN_HALF_A_ROW]
        shown = [field for field in bound if field not in [*ticks, *wide, *fine]]
        return {"ticks": ticks, "wide": wide, "settings": shown, "fine": fine}

    @property
    def has_fine_settings(self) -> bool:
        """Whether a seldom changed setting is not as usual."""
        usual = self.kind.schema["properties"]
        return any(
            self[name].errors or str(self[name].value() or "") != str(usual[name].get("default") or "")
            for name in FINE
            if name in self.settings
        )

    def sides(self) -> list[Side]:
        return [
            Side(
                SIDES.get(name, name).capitalize(),
                self[f"{name}_by"],
                self[f"{name}_from"],
                self[f"{name}_many"],
                steps.shown(self[f"{name}_read"]),
                self.kept_of(name),
                self.options_of(name),
            )
            for name in self.sides_of
        ]

    def paths_of_settings(self) -> list[forms.BoundField]:
        return [self[f"{name}_path"] for name in self.mappable]

    @property
    def has_rare_mapping(self) -> bool:
        """Whether several values are taken, or a setting comes from each example."""
        several = [self[f"{name}_many"] for name in self.sides_of]
        return any(field.value() not in ("error", "", None) or field.errors for field in several) or any(
            field.value() or field.errors for field in self.paths_of_settings()
        )

    def config(self) -> dict[str, Any]:
        """The settings; an empty field is null if its setting allows null, else it is omitted."""
        return {
            name: value
            for name in self.settings
            if (value := self.cleaned_data[name]) is not None
            or is_nullable(self.kind.schema["properties"][name])
        }

    def mapping(self) -> dict[str, Any]:
        """The sources of the sides, and of settings that have a path; a literal for a setting stays unchanged."""
        typed = {name: self._typed(name) for name in self.sides_of}
        explicit = {name: source for name, source in typed.items() if self._is_explicit(name, source)}
        literals = {
            name: source
            for name, source in self.stored_mapping.items()
            if name not in (*self.sides_of, "many") and "literal" in source
        }
        paths = {
            name: {"path": path}
            for name in self.mappable
            if (path := self.cleaned_data[f"{name}_path"].strip())
        }
        return self._with_many(literals | paths | explicit)

    def _with_many(self, sources: dict[str, Any]) -> dict[str, Any]:
        """The mapping with what several matches mean: once for all sides where that says the same, else at each."""
        chosen = {
            name: self.cleaned_data[f"{name}_many"] or "error"
            for name in self.sides_of
            if self.cleaned_data[f"{name}_by"] == "path"
        }
        if all(self.fields[f"{name}_many"].initial == word for name, word in chosen.items()):
            return self._with_stored_many(sources)
        for many in dict.fromkeys(["error", *chosen.values()]):
            if all(self._many_of_all(name, many) == word for name, word in chosen.items()):
                return sources | ({} if many == "error" else {"many": many})
        for name, word in chosen.items():
            if word != "error":
                sources[name] = sources.get(name, {"path": f"$.{name}"}) | {"many": word}
        return sources

    def _with_stored_many(self, sources: dict[str, Any]) -> dict[str, Any]:
        """The mapping with the words for several matches where they stood before."""
        for name in self.sides_of:
            if many := self.stored_mapping.get(name, {}).get("many"):
                sources[name] = sources.get(name, {"path": f"$.{name}"}) | {"many": many}
        many = self.stored_mapping.get("many")
        return sources | ({"many": many} if many else {})

    def _typed(self, name: str) -> dict[str, Any]:
        """The source of a side as it was typed, with its reading steps if it is a path."""
        by, read = self.cleaned_data[f"{name}_by"], self.cleaned_data[f"{name}_read"]
        source = {by: self.cleaned_data[f"{name}_from"]}
        stored = self.stored_mapping.get(name, {}).get("read") or []
        if by != "path":
            return source
        kept = self.kept_of(name)
        if not any(isinstance(step, Choice) for step in compile_steps(read or []).steps):
            kept.pop("options", None)  # nothing is read as a label any more
        if not read:
            return source | kept
        is_same = compile_steps(stored).key == compile_steps(read).key
        return source | {"read": stored if is_same else read} | kept

    def options_of(self, name: str) -> list[tuple[str, str]]:
        """The paths of the texts that may be said, each with its label, or "in" if it is one for all."""
        told = self.kept_of(name).get("options") or {}
        return [("in", told)] if isinstance(told, str) else [*told.items()]

    def kept_of(self, name: str) -> dict[str, Any]:
        """What the form keeps of the source of a side without a field for it."""
        source = self.stored_mapping.get(name, {})
        return {key: source[key] for key in ("options", "empty") if key in source}

    def _is_explicit(self, name: str, source: dict[str, Any]) -> bool:
        """Whether a source must be stored: not an empty path, and not the default one unless it was stored before."""
        if source == {"path": f"$.{name}"}:
            return name in self.stored_mapping
        return source != {"path": ""}

    def _refuse(self, refusal: Refusal) -> None:
        refusal.fields = {self._field_of(pointer): texts for pointer, texts in refusal.fields.items()}
        super()._refuse(refusal)

    def _field_of(self, pointer: str) -> str:
        name = _field_name(pointer)
        setting = name.removesuffix("_from")
        return f"{setting}_path" if setting in self.mappable and name != setting else name


def _is_filled(kind: Kind, name: str) -> bool:
    """Whether a setting is filled when the evaluator is saved, instead of by the form."""
    return kind.is_derived and name in ("evaluators", "sources")


def _field_name(pointer: str) -> str:
    """The form field for a JSON pointer: config/threshold, mapping/actual/path."""
    part, _, path = pointer.partition("/")
    name, _, inside = path.partition("/")
    if part == "mapping":
        end = inside.partition("/")[0]
        return f"{name}_{end if end in ('read', 'many') else 'from'}"
    return name or pointer
