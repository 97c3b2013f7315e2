"""Tables with several rows for each example: a row for each variant, repetition or rater."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluations import ingest
from evaluations.ingest.known_names import REPETITIONS
from evaluations.ingest.suggest import is_called_variant

from . import measure_columns, raters
from .column_names import invalid, require_column
from .columnmap import LONG, ColumnMap, of_column
from .score_columns import ScoreColumn

Columns = Mapping[str, Sequence[Any]]
ROLES = ("variant", "repetition", "rater")


@dataclass(frozen=True)
class Long:
    """How the rows of one example are told apart: by the column of its `role`; by their order if that is "".

    Raters said what is in the column `label`, about the `output`.
    """

    id: str
    role: str = ""
    column: str = ""
    output: str = ""
    label: str = ""

    @classmethod
    def of(cls, sent: Mapping[str, Any], columns: Sequence[str]) -> "Long":
        """From {"id", "output", "variant" or "repetition" or "rater", for raters "label"}; raises `Invalid`.

        Each names a column.
        """
        for name, column in sent.items():
            if name not in ("id", "output", "label", *ROLES):
                raise invalid(
                    f"“long” has no “{name[:80]}”; it has id, output, {' or '.join(ROLES)}, and label.",
                    "long",
                )
            if not isinstance(column, str):
                raise invalid(f"“long”: {name} must be the name of a column.", "long")
            require_column(column, "long", columns)
        roles = [role for role in ROLES if role in sent]
        if "id" not in sent or len(roles) > 1:
            raise invalid(f"“long” needs id, and at most one of {', '.join(ROLES)}.", "long")
        role = next(iter(roles), "")
        if "label" in sent and role != "rater":
            raise invalid("“label” is what raters said; name the column of raters as “rater”.", "long")
        return cls(sent["id"], role, sent.get(role, ""), sent.get("output", ""), sent.get("label", ""))

    def of_outputs(self, output: str) -> "Long":
        """The same for a file of outputs, in which what people wrote are their answers."""
        role = "repetition" if self.role == "rater" else self.role
        return Long(self.id, role, self.column, output)

    def as_dict(self) -> dict[str, str]:
        fields = {"id": self.id, self.role: self.column, "label": self.label, "output": self.output}
        return {name: column for name, column in fields.items() if name and column}


def repeated_key(preview: ingest.Preview, columns: Columns) -> str:
    """The column that was recognised as the key, if its values repeat in at least a third of the rows; else ""."""
    key = next((name for name, role in preview.roles.items() if role == "key"), "")
    return key if key and repeats(columns.get(key, ())) else ""


def repeats(values: Sequence[Any]) -> bool:
    """Whether at least a third of the values, none of which is empty, repeat an earlier one.

    >>> repeats(["a", "a", "b", "b"]), repeats(["a", "b", "b", "c"])
    (True, False)
    """
    distinct = len({*values})
    return distinct > 1 and distinct * 3 <= len(values) * 2 and None not in values


def suggested(columns: Columns, key: str) -> list[Long]:
    """How rows with the same key may be told apart, the likeliest first; in the end, by their order."""
    found = [_told_by(columns, key, name) for name in ingest.tells_apart(columns, key)]
    return [
        *sorted(found, key=lambda long: long.role == "variant" and not _is_variant(long.column)),
        Long(key),
    ]


def _told_by(columns: Columns, key: str, name: str) -> Long:
    """How a column tells rows apart; people whose answers are no labels wrote repetitions."""
    role = role_of(name)
    if role != "rater":
        return Long(key, role, name)
    label = _label(columns, ingest.varying(columns, key), name)
    return Long(key, "rater", name, label=label) if label else Long(key, "repetition", name)


def _label(columns: Columns, varying: Sequence[str], rater: str) -> str:
    """The column with the fewest values that can be labels, of those that differ between raters; "" without any."""
    free = [name for name in varying if name != rater and raters.fit(columns[name])]
    return min(free, key=lambda name: len({*columns[name]}), default="")


def role_of(column: str) -> str:
    """What a column that tells rows apart names, by its own name."""
    name = column.strip().lower().removesuffix("_id").removesuffix("_index")
    return "rater" if name in raters.NAMES else "repetition" if name in REPETITIONS else "variant"


def _is_variant(column: str) -> bool:
    return is_called_variant(column) or column.strip().lower() == "filter"


def mapped(preview: ingest.Preview, columns: Columns, long: Long) -> ColumnMap:
    """The suggested roles, with those of a long table; columns that differ between an example's rows are left out."""
    varying = ingest.varying(columns, long.id)
    if long.role == "rater":
        return _rated(preview, columns, long, varying)
    output = long.output or _output(preview, columns, long, varying)
    if not output:
        raise invalid(
            "No column differs between the rows of an example, except the one that tells them apart.", "long"
        )
    source = of_column(output) if output in preview.columns else output
    single = {long.id, long.column, output}
    roles = _roles(preview, {*varying, *single})
    base = ColumnMap(
        key=long.id,
        variant=long.column or long.id,
        outputs=((LONG, source),),
        scores=tuple(
            ScoreColumn(name, LONG, column) for name, column in preview.scores.items() if column not in single
        ),
        measures=measure_columns.of_names([name for name in varying if name not in single], columns),
    )
    repeats = {"variant": "", "": "order"}.get(long.role, long.role)
    return replace(base.adding(roles), repeats=repeats, of_variant=output[:200] if repeats else "")


def _rated(preview: ingest.Preview, columns: Columns, long: Long, varying: Sequence[str]) -> ColumnMap:
    """A row for each rater of an example: what was labelled is the output, and stays an input if it is one."""
    label = long.label or _label(columns, varying, long.column)
    if not label or not raters.fit(columns[label]):
        message = (
            f"“{label or long.column}” has no labels: two to {raters.MOST_ANSWERS} words without commas."
        )
        raise invalid(f"{message} If people wrote answers, send “repetition” instead of “rater”.", "long")
    single = {long.id, long.column, label}
    same = [name for name in columns if name not in varying and name not in single]
    output = long.output or raters.labelled(preview.roles, columns, same) or long.id
    roles = _roles(preview, {*varying, *single, *([] if preview.roles.get(output) == "inputs" else [output])})
    source = of_column(output) if output in preview.columns else output
    return ColumnMap(key=long.id).adding(roles).labelled(long.column, label, ((output[:200], source),))


def _roles(preview: ingest.Preview, without: Collection[str]) -> dict[str, str]:
    return {
        name: "metadata" if role in ("output", "score", "key") else role
        for name, role in preview.roles.items()
        if name not in without
    }


def _output(preview: ingest.Preview, columns: Columns, long: Long, varying: Sequence[str]) -> str:
    """The outputs are those with a known name, else the longest texts."""
    free = [name for name in varying if name != long.column]
    known = [source for source in preview.outputs.values() if source in free or source.startswith("$")]
    scores = {*preview.scores.values(), *preview.unplaced_scores}
    texts = {
        name: sum(len(v) for v in columns[name] if isinstance(v, str)) for name in free if name not in scores
    }
    return next(iter(known), "") or max(texts, key=lambda name: texts[name], default="")
