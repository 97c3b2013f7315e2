"""The editor of an evaluator: fields generated from the JSON Schema of its kind, and its mapping."""

from typing import Any

from django import forms

from evaluations.errors import Refusal
from evaluations.kinds import Kind
from evaluations.models import Connection, Project
from evaluations.values import stored_json

from .form import Form
from .json_field import JSONField

WORDS = {
    "code_point": "code points",
    "utf16": "UTF-16 units",
    "zero": "gets score 0 and fails",
    "skip": "gets no score",
    ">": "above the threshold",
    ">=": "at or above the threshold",
    "both": "both texts",
    "expected": "the expected text",
    "none": "neither",
    "config": "the pattern below",
    "search": "anywhere in the output",
    "fullmatch": "the whole output",
    "all": "all of them",
    "any": "any of them",
    "maximize": "higher",
    "minimize": "lower",
}
READ_HELP = (
    'What of the text is the answer, in order, as JSON: ["reasoning", {"step": "after", "marker": "####"}]. '
    "Steps: reasoning, json, path, code, pattern, after, first_line, last_line, choice, normalize. Empty: the whole "
    "text."
)
ANY = ("any", "each is a right answer; the best counts")
MANY = (("error", "no score, an error"), ("first", "the first"), ("join", "all, one per line"))
REFERENCES = ("references", "each is a separate reference")
SEVERAL = (
    "Each value that the path of “expected” matches, and each member of a list or object there, can be a "
    "separate reference. $.expected means all reference columns, $.reference['one', 'two'] two of them."
)
SOURCE_KINDS = (("path", "path"), ("literal", "literal"))


class EvaluatorForm(Form):
    """`config` and `mapping` return values for `evaluators.check`."""

    object_fields = ("connection",)
    name = forms.CharField(max_length=200, strip=False)

    def __init__(
        self, *args: Any, kind: Kind, project: Project, mapping: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.project, self.stored_mapping = kind, project, mapping or {}
        self.settings = list(kind.schema["properties"])
        for name, schema in kind.schema["properties"].items():
            self.fields[name] = _connections(project, schema) if name == "connection" else _field(schema)
        for name in kind.parameters:
            source = self.stored_mapping.get(name, {})
            self.fields[f"{name}_by"] = forms.ChoiceField(
                choices=SOURCE_KINDS, initial="literal" if "literal" in source else "path"
            )
            stored_text = source.get("literal", source.get("path", f"$.{name}"))
            self.fields[f"{name}_from"] = forms.CharField(
                required=False, strip=False, initial=stored_text, widget=forms.TextInput({"list": "paths"})
            )
            self.fields[f"{name}_read"] = JSONField(
                list, rows=1, label=f"Read {name} by", help_text=READ_HELP, initial=_steps(source)
            )
        right_answers = (ANY,) if "expected" in kind.parameters else ()
        self.fields["many"] = forms.ChoiceField(
            label="If a path matches several values",
            choices=[*MANY, *right_answers, *((REFERENCES,) if kind.several else ())],
            initial=self.stored_mapping.get(
                "many", self.stored_mapping.get("expected", {}).get("many", "error")
            ),
            required=False,
            help_text=SEVERAL if kind.several else "",
        )

    def filled(self) -> "EvaluatorForm":
        """This form, bound to its initial values."""
        initial = {name: self[name].initial for name in self.fields}
        values = {name: value for name, value in initial.items() if value is not None and value is not False}
        return EvaluatorForm(values, kind=self.kind, project=self.project, mapping=self.stored_mapping)

    def parts(self) -> dict[str, list[forms.BoundField]]:
        """The fields in the groups of the page: settings, then check boxes."""
        bound = [self[name] for name in self.settings]
        ticks = [field for field in bound if isinstance(field.field, forms.BooleanField)]
        return {"settings": [field for field in bound if field not in ticks], "ticks": ticks}

    def sources(self) -> list[tuple[str, forms.BoundField, forms.BoundField]]:
        return [(name, self[f"{name}_by"], self[f"{name}_from"]) for name in self.kind.parameters]

    def config(self) -> dict[str, Any]:
        """The settings; an empty field is null if its setting allows null, else it is omitted."""
        return {
            name: value
            for name in self.settings
            if (value := self.cleaned_data[name]) is not None
            or _nullable(self.kind.schema["properties"][name])
        }

    def mapping(self) -> dict[str, Any]:
        """The sources of parameters; those of settings, which only the API can map, stay unchanged."""
        values = self.cleaned_data
        typed = {name: self._typed(name) for name in self.kind.parameters}
        explicit = {name: source for name, source in typed.items() if self._is_explicit(name, source)}
        unchanged = {
            name: source
            for name, source in self.stored_mapping.items()
            if name not in (*self.kind.parameters, "many")
        }
        many = {"many": values["many"]} if values["many"] not in ("", "error") else {}
        return unchanged | explicit | many

    def _typed(self, name: str) -> dict[str, Any]:
        """The source of a parameter as it was typed, with its reading steps if it is a path."""
        by, steps = self.cleaned_data[f"{name}_by"], self.cleaned_data[f"{name}_read"]
        source = {by: self.cleaned_data[f"{name}_from"]}
        return source | {"read": steps} if steps and by == "path" else source

    def readings(self) -> list[forms.BoundField]:
        return [self[f"{name}_read"] for name in self.kind.parameters]

    def _is_explicit(self, name: str, source: dict[str, Any]) -> bool:
        """Whether a source must be stored: not an empty path, and not the default one unless it was stored before."""
        if source == {"path": f"$.{name}"}:
            return name in self.stored_mapping
        return source != {"path": ""}

    def _refuse(self, refusal: Refusal) -> None:
        refusal.fields = {_field_name(pointer): texts for pointer, texts in refusal.fields.items()}
        super()._refuse(refusal)


def _field_name(pointer: str) -> str:
    """The form field for a JSON pointer: config/threshold, mapping/actual/path."""
    part, _, path = pointer.partition("/")
    name, _, inside = path.partition("/")
    if part == "mapping" and name != "many":
        return f"{name}_read" if inside.startswith("read") else f"{name}_from"
    return name or pointer


def _steps(source: dict[str, Any]) -> str:
    return stored_json(source["read"]) if source.get("read") else ""


def _field(schema: dict[str, Any]) -> forms.Field:
    """The form field for one setting: check box, choice, number or text."""
    shape = next((part for part in schema.get("anyOf", ()) if part.get("type") != "null"), schema)
    default = schema.get("default")
    options = {
        "label": schema["title"],
        "help_text": schema.get("description", ""),
        "required": not _nullable(schema),
        "initial": default,
    }
    if shape.get("type") == "boolean":
        return forms.BooleanField(**options | {"required": False})
    types = {part.get("type") for part in schema.get("anyOf", [schema])}
    if types & {"array", "object"}:
        return SettingField(is_text_allowed="string" in types, **options | {"required": False})
    if "enum" in shape:
        return forms.ChoiceField(choices=[(word, WORDS.get(word, word)) for word in shape["enum"]], **options)
    if shape.get("type") in ("integer", "number"):
        return _number(shape, options)
    return forms.CharField(strip=False, empty_value=None, **options)


class SettingField(JSONField):
    """A setting that is a JSON list or object; with `is_text_allowed`, any other text is itself."""

    def __init__(self, *, is_text_allowed: bool, **options: Any) -> None:
        options.pop("required")
        super().__init__(dict, list, rows=2, **options)
        self.is_text_allowed = is_text_allowed

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) or value is None else stored_json(value)

    def to_python(self, value: Any) -> Any:
        is_plain = isinstance(value, str) and not value.lstrip().startswith(("[", "{"))
        return value if self.is_text_allowed and is_plain else super().to_python(value)


def _number(shape: dict[str, Any], options: dict[str, Any]) -> forms.Field:
    """A number field. The hint states its bounds; the kind validates them, with a better message."""
    if shape["type"] == "integer":
        return forms.IntegerField(widget=forms.TextInput({"inputmode": "numeric"}), **options)
    return forms.FloatField(widget=forms.TextInput({"inputmode": "decimal"}), **options)


def _connections(project: Project, schema: dict[str, Any]) -> forms.Field:
    """The project's connections by name."""
    connection_names = Connection.objects.live().filter(project=project).values_list("pk", "name")
    return forms.TypedChoiceField(
        label=schema["title"],
        help_text=schema["description"],
        choices=[("", "the project's default"), *connection_names],
        coerce=int,
        empty_value=None,
        required=False,
    )


def _nullable(schema: dict[str, Any]) -> bool:
    return any(part.get("type") == "null" for part in schema.get("anyOf", ()))
