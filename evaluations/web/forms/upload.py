"""The second step of an upload: the roles of the columns of a file."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.imports.columns import column_paths, naming
from evaluations.imports.columns.column_names import parts_of
from evaluations.imports.columns.columnmap import LONG, ColumnMap
from evaluations.imports.columns.score_columns import ScoreColumn
from evaluations.ingest import penalties
from evaluations.ingest.column_names import words_of
from evaluations.ingest.measures import KINDS
from evaluations.ingest.score_words import LOWER
from evaluations.ingest.suggest import is_called_variant, output_of
from evaluations.models import Dataset

from . import measure_roles, output_roles, path_choices, proposed_roles, rater_columns, score_roles
from .choice import PARTS, PREFERRED, ROLES, SCORE_ROLES, Choice, chosen

NOTHING = ingest.Guess("", "")
ENCODINGS = ("utf-8", "utf-16", *ingest.ENCODINGS)


def _shared(guesses: Mapping[str, Any], long: Mapping[str, Any]) -> dict[str, Any]:
    """The guesses of what the rows of an example have in common, and of scores: what was asked, and what is right."""
    own = {long["variant"], long["output"], *long["varying"]}
    return {
        name: guess
        for name, guess in guesses.items()
        if guess.role in (*SCORE_ROLES, *KINDS)
        or (name not in own and guess.role in ("inputs", "reference", "key"))
    }


@dataclass(frozen=True)
class ColumnChoices:
    """The roles of a file's columns."""

    columns: list[Choice]
    paths: list[Choice]

    @classmethod
    def suggested(
        cls, preview: ingest.Preview, columns_by_part: Mapping[str, Any], dataset: Dataset | None
    ) -> "ColumnChoices":
        """Roles chosen before, else suggested from names and contents or from the columns of `dataset`."""
        stored = parts_of(dataset.columns, preview.columns) if dataset else {}
        guesses = {} if dataset or "raters" in columns_by_part else preview.guesses
        if "long" in columns_by_part:
            guesses = _shared(guesses, columns_by_part["long"])
        by_name = (
            proposed_roles.stored_roles(stored, preview.columns)
            if dataset
            else proposed_roles.suggested(preview, guesses)
        )
        inside = path_choices.inner(preview, by_name, columns_by_part, dataset)
        by_name |= {one.column: "leave out" for one in inside if one.role != "leave out"}
        short_names = proposed_roles.short_names_of(by_name, stored) | {
            source: name for name, source in preview.scores.items()
        }
        variants = {source: variant for variant, source in preview.outputs.items()}
        columns = []
        for number, column in enumerate(preview.columns):
            suggestion, guess = by_name.get(column, "metadata"), guesses.get(column, NOTHING)
            variant = guess.variant or variants.get(column) or output_of(column) or column
            suggested = (suggestion, variant, guess.name or short_names.get(column, ""))
            role, variant, name = chosen(columns_by_part.get("columns", {}).get(column), suggested, dataset)
            reason = guess.reason if role == suggestion else ""
            is_suggested = role == suggestion != "metadata"
            first = preview.rows[0].get(column) if preview.rows else None
            columns.append(Choice(number, column, role, variant, is_suggested, first, name, reason))
        choices = cls(columns, path_choices.path_choices(preview, columns_by_part, dataset, inside))
        if "columns" in columns_by_part:
            return choices
        long = columns_by_part.get("long")
        if long and (long.get("is_sure") or is_called_variant(long["variant"])):
            people = rater_columns.varying(long["varying"], preview)
            choices = choices.as_guessed_long(long, [*preview.unplaced_scores, *people])
        choices = replace(choices, columns=rater_columns.guessed(choices.columns, preview))
        return choices.with_input(long).with_key(long)

    @classmethod
    def from_form(cls, form_data: Mapping[str, str], names: Iterable[str] = ()) -> "ColumnChoices":
        """From fields such as `column-3`, `role-3`, `variant-3`, `name-3`; `path-3`, `path-role-3`, …

        `names` are the columns of the file: forms send line breaks in names as CR LF.
        """
        original_names = {_with_line_feeds(name): name for name in names}
        typed = [
            (n, original_names.get(_with_line_feeds(name), name))
            for n, name in _numbered(form_data, "column")
        ]
        columns = [_sent(form_data, "", n, column) for n, column in typed]
        paths = [_sent(form_data, "path-", n, path) for n, path in _numbered(form_data, "path")]
        return cls(columns, paths)

    def with_role(self, names: Collection[str], role: str) -> "ColumnChoices":
        """These choices with `role` for the columns `names`; an output column names its variant."""
        columns = [
            replace(choice, role=role, variant=choice.variant or choice.source)
            if choice.source in names and role in ROLES
            else choice
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    @property
    def variants(self) -> list[str]:
        """The names of the variants that have a column or path of outputs."""
        return [choice.variant for choice in (*self.columns, *self.paths) if choice.role == "output"]

    @property
    def guessed(self) -> dict[str, list[Choice]]:
        """The columns whose role was guessed, by the word for the role."""
        by_role: dict[str, list[Choice]] = {}
        for choice in self.columns:
            if choice.reason:
                by_role.setdefault(ROLES[choice.role], []).append(choice)
        return by_role

    def lacking_reference(self, preview: ingest.Preview, dataset: Dataset) -> list[str] | None:
        """None unless the dataset has references and the file has none; then the columns that look like them."""
        if not dataset.columns.get("reference") or any(
            choice.role == "reference" for choice in (*self.columns, *self.paths)
        ):
            return None
        by_name = preview.roles | {name: guess.role for name, guess in preview.guesses.items()}
        free = [choice.source for choice in self.columns if choice.role in ("metadata", "leave out")]
        return [name for name in free if by_name.get(name) in ("reference", "output")]

    def unread_outputs(self, preview: ingest.Preview) -> list[str]:
        """The columns that look like answers of variants, of which the examples of a dataset have none."""
        by_name = preview.roles | {name: guess.role for name, guess in preview.guesses.items()}
        others = [choice.source for choice in self.columns if choice.role in ("metadata", "leave out")]
        return [name for name in others if by_name.get(name) == "output"]

    def as_reference(self, name: str, dataset: Dataset) -> "ColumnChoices":
        """These choices with a column as reference, under the name of the dataset's if it has a single one."""
        known = dataset.columns.get("reference", [])
        columns = [
            replace(choice, role="reference", name=known[0] if len(known) == 1 else "")
            if choice.source == name
            else choice
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    def undecided(self, names: Iterable[str]) -> list[str]:
        """The columns without a role other than metadata."""
        chosen = {choice.source for choice in self.columns if choice.role != "metadata"}
        return [name for name in names if name not in chosen]

    def as_long(self, long: Mapping[str, Any]) -> "ColumnChoices":
        """The choices for a file with a row per variant; of what else differs, scores and what answers took stay."""
        sources = [choice.source for choice in self.paths if choice.role == "output"]
        is_inside = long["output"] in map(column_paths.column_of, sources)
        named = {long["variant"]: "variant", long["output"]: "leave out" if is_inside else "output"}
        scores = {choice.source: choice.role for choice in self.columns if choice.is_beside_output}
        if scores.get(long["output"]) in SCORE_ROLES:  # it is a verdict, and stands in place of the answers
            del named[long["output"]]
        if items := {*long.get("key", ())}:  # a key whose rows are several items identifies none
            keys = [choice.source for choice in self.columns if choice.role == "key"]
            named |= {name: "metadata" for name in keys if {name} != items and name not in long["varying"]}
        if not any(choice.role == "reference" for choice in self.columns):  # what all variants share is right
            shared = (choice.source for choice in self.columns if choice.role == "output")
            named |= {name: "reference" for name in shared if name not in (*long["varying"], long["output"])}
        took = long.get("measures", {})
        choices = self._with_roles(dict.fromkeys(long["varying"], "leave out") | took | scores | named)
        return replace(choices, paths=[_of_example(path, long["varying"]) for path in choices.paths])

    def with_input(self, long: Mapping[str, Any] | None = None) -> "ColumnChoices":
        """These choices with what names the rows as an input, if nothing says what was asked and nothing is the key."""
        given = {choice.role for choice in (*self.columns, *self.paths)}
        if given & {"input", "reference", "key"} or not given & {"output", *SCORE_ROLES, PREFERRED}:
            return self
        return self.with_role((long or {}).get("key", ()), "input")

    def with_key(self, long: Mapping[str, Any] | None) -> "ColumnChoices":
        """These choices of a file with a row per variant with its ids as the key, if nothing else is the key."""
        roles = {choice.source: choice.role for choice in self.columns}
        name = (long or {}).get("id", "")
        if "variant" not in roles.values() or "key" in roles.values() or roles.get(name) != "metadata":
            return self
        reason = "it has one value for each example"
        columns = [
            replace(choice, role="key", reason=reason) if choice.source == name else choice
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    def as_guessed_long(self, long: Mapping[str, Any], scores: Collection[str]) -> "ColumnChoices":
        """The same where nobody asked for it, because the column has the usual name, with the reasons.

        Those of `scores` that vary are outside scores.
        """
        took = dict.fromkeys(long.get("measures", ()), "its name says what an answer took")
        reasons = {
            long["variant"]: f"every example has a row for each of its {long['variants']} values",
            **dict.fromkeys((long["output"], *long["varying"]), "it differs between the rows of an example"),
            **took,
        }
        graded = {*scores, *long.get("grades", ())}
        varying = [name for name in long["varying"] if name in graded]
        low = [name for name in varying if words_of(name) & (LOWER | penalties.WORDS)]
        choices = self.with_role(varying, "score").with_role(low, "low score").as_long(long)
        return replace(
            choices,
            columns=[
                choice
                if choice.is_beside_output
                else replace(choice, reason=reasons.get(choice.source, choice.reason))
                for choice in choices.columns
            ],
        )

    def of_raters(self, long: Mapping[str, Any]) -> "ColumnChoices":
        """The choices for a file with a row per rater; what they labelled is an output that they share, or an input."""
        named = {long["id"]: "key", long["rater"]: "rater", long["label"]: "label"}
        roles = dict.fromkeys(long["varying"], "leave out") | named
        outputs = [
            choice for choice in self.columns if choice.role == "output" and choice.source not in roles
        ]
        return self._with_roles(roles | {choice.source: "output" for choice in outputs[:1]})

    def _with_roles(self, roles: Mapping[str, str]) -> "ColumnChoices":
        """The choices with these roles; other outputs become metadata."""
        columns = [
            replace(
                choice, role=roles.get(choice.source, "metadata" if choice.role == "output" else choice.role)
            )
            for choice in self.columns
        ]
        return replace(self, columns=columns)

    @classmethod
    def from_map(cls, mapped: ColumnMap) -> "ColumnChoices":
        """The choices that produce a mapping."""
        inside, plain = dict(mapped.paths), {v: s for v, s in mapped.outputs if not s.startswith("$")}
        if mapped.label:  # what raters read may be an input, which keeps that role
            inputs = mapped.columns_of("inputs").values()
            plain = {variant: source for variant, source in plain.items() if source not in inputs}
        named = [(name, role) for role, part in PARTS.items() for name in getattr(mapped, part)]
        named += [(mapped.key, "key")] if mapped.key else []
        columns = [
            Choice(0, column, role, name=name if name != column else "")
            for role, part in PARTS.items()
            for name, column in mapped.columns_of(part).items()
        ]
        columns += [Choice(0, name, "key") for name, role in named if role == "key" and name not in inside]
        columns += [Choice(0, source, "output", variant) for variant, source in plain.items()]
        columns += _naming(mapped, inside=False)
        once = [score for score in mapped.scores if not score.among or score.variant == score.among[0][0]]
        scores = [_score(score, lower=score.name in mapped.lower) for score in once]
        columns += [choice for choice, score in zip(scores, once, strict=True) if not score.path]
        columns += [Choice(0, one.source, one.kind, one.variant) for one in mapped.measures if not one.path]
        paths = _naming(mapped, inside=True)
        paths += [Choice(0, s, "output", variant) for variant, s in mapped.outputs if s.startswith("$")]
        paths += [choice for choice, score in zip(scores, once, strict=True) if score.path]
        paths += [Choice(0, one.source, one.kind, one.variant) for one in mapped.measures if one.path]
        paths += [_inside(name, role, inside[name]) for name, role in named if name in inside]
        return cls(columns, paths)

    def added_to(self, mapping: Mapping[str, Any]) -> dict[str, Any]:
        """The choices to store with the upload: these, and older ones for columns that the present format lacks."""
        chosen = {
            name: {choice.source: [choice.role, choice.variant, choice.name] for choice in choices}
            for name, choices in (("columns", self.columns), ("paths", self.paths))
        }
        return {**mapping, **{name: mapping.get(name, {}) | roles for name, roles in chosen.items()}}

    def mapping(self) -> dict[str, Any]:
        """The mapping of the API; raises `Invalid` if two columns have a role that only one may have."""
        choices = (*self.columns, *self.paths)
        keys = [choice.source for choice in choices if choice.role == "key"]
        parts = {part: _part(choices, role) for role, part in PARTS.items()}
        if len(keys) > 1:
            raise Invalid("two_keys", f"Choose one key column, not {' and '.join(keys)}.")
        named = output_roles.long_mapping(choices)
        outputs = {} if named else output_roles.outputs(choices)
        if not named and not outputs and not parts["reference"]:
            outputs = score_roles.in_place(choices)
        are_named = bool(keys and (named or outputs))  # answers, of which the key says to what
        if not parts["inputs"] and not parts["reference"] and not are_named:
            raise Invalid("no_roles", "Assign at least one column as input or reference.")
        variants = [LONG] if named else [*outputs]
        beside = score_roles.mapping(choices, variants) | measure_roles.mapping(choices, variants)
        return {**parts, "key": next(iter(keys), None), "outputs": outputs, **named, **beside}


def _with_line_feeds(name: str) -> str:
    return name.replace("\r\n", "\n").replace("\r", "\n")


def _of_example(path: Choice, varying: Collection[str]) -> Choice:
    """The choice for a path, which is left out as a part of the examples if it leads into a column that varies."""
    is_part = path.role in PARTS and column_paths.column_of(path.source) in varying
    return replace(path, role="leave out") if is_part else path


def _sent(form_data: Mapping[str, str], kind: str, number: int, source: str) -> Choice:
    role = form_data.get(f"{kind}role-{number}", "leave out")
    owner = "scored" if role in (*SCORE_ROLES, *KINDS) else "variant"
    texts = (form_data.get(f"{kind}{field}-{number}", "") for field in (owner, "name"))
    variant, name = (ingest.clean(text).strip() for text in texts)
    return Choice(number, source, role, variant, name=name)


def _score(score: ScoreColumn, *, lower: bool) -> Choice:
    """The choice for a source of scores, with the score's name if it differs from the source's."""
    source = score.source
    if score.among:
        return Choice(0, source, PREFERRED, name=score.name if score.name != source else "")
    name = "" if score.name == score_roles.name_of(source, score.variant) else score.name
    return Choice(0, source, SCORE_ROLES[lower], score.variant, name=name)


def _naming(mapped: ColumnMap, *, inside: bool) -> list[Choice]:
    """The choices for columns, or for paths, that name the variants, or raters and their labels."""
    roles = {mapped.variant: "rater", mapped.label: "label"} if mapped.label else {mapped.variant: "variant"}
    return [Choice(0, n, role) for n, role in roles.items() if n and n.startswith(naming.PATH) == inside]


def _inside(name: str, role: str, path: str) -> Choice:
    """The choice for a path into a column, with its name if it differs from the path."""
    by_itself = path.removeprefix("$.").removeprefix("$")
    return Choice(0, path, role, name=name if name != by_itself else "")


def _part(choices: Iterable[Choice], role: str) -> list[str] | dict[str, str]:
    """The columns and paths of a part; as {name: source} if a name differs from the file's."""
    named: dict[str, str] = {}
    for choice in choices:
        name = choice.name or choice.source
        if choice.role == role and named.setdefault(name, choice.source) != choice.source:
            raise Invalid(
                "invalid_mapping",
                f"{named[name]} and {choice.source} would both have the name “{name}”.",
                hint="Give one of them another role.",
            )
    return named if any(name != source for name, source in named.items()) else list(named)


def _numbered(form_data: Mapping[str, str], name: str) -> list[tuple[int, str]]:
    """The fields `name-0`, `name-1`, … with their numbers."""
    return [
        (n, form_data[f"{name}-{n}"]) for n in range(ingest.Limits().columns) if f"{name}-{n}" in form_data
    ]
