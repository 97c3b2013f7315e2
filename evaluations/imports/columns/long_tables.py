"""Tables with several rows for each example: a row for each variant, repetition or rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluations import ingest
from evaluations.ingest.suggest import VARIANTS

from .column_names import invalid, require_column
from .columnmap import LONG, ColumnMap, of_column
from .score_columns import ScoreColumn

Columns = Mapping[str, Sequence[Any]]
OF_RATERS = {
    "annotator",
    "assessor",
    "coder",
    "completed_by",
    "grader",
    "judge",
    "labeler",
    "rater",
    "user",
    "worker",
}
OF_REPETITIONS = {"attempt", "epoch", "iteration", "repeat", "repetition", "run", "sample", "seed", "trial"}
ROLES = ("variant", "repetition", "rater")


@dataclass(frozen=True)
class Long:
    """How the rows of one example are told apart: by the column of its `role`; by their order if that is ""."""

    id: str
    role: str = ""
    column: str = ""
    output: str = ""

    @classmethod
    def of(cls, sent: Mapping[str, Any], columns: Sequence[str]) -> "Long":
        """From {"id": column, "variant" or "repetition" or "rater": column, "output": column}; raises `Invalid`."""
        for name, column in sent.items():
            if name not in ("id", "output", *ROLES):
                raise invalid(
                    f"“long” has no “{name[:80]}”; it has id, output, and {' or '.join(ROLES)}.", "long"
                )
            if not isinstance(column, str):
                raise invalid(f"“long”: {name} must be the name of a column.", "long")
            require_column(column, "long", columns)
        roles = [role for role in ROLES if role in sent]
        if "id" not in sent or len(roles) > 1:
            raise invalid(f"“long” needs id, and at most one of {', '.join(ROLES)}.", "long")
        role = next(iter(roles), "")
        return cls(sent["id"], role, sent.get(role, ""), sent.get("output", ""))

    def as_dict(self) -> dict[str, str]:
        fields = {"id": self.id, self.role: self.column, "output": self.output}
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
    found = [Long(key, _role(name), name) for name in ingest.tells_apart(columns, key)]
    return [
        *sorted(found, key=lambda long: long.role == "variant" and not _is_variant(long.column)),
        Long(key),
    ]


def _role(column: str) -> str:
    name = column.strip().lower().removesuffix("_id").removesuffix("_index")
    return "rater" if name in OF_RATERS else "repetition" if name in OF_REPETITIONS else "variant"


def _is_variant(column: str) -> bool:
    return column.strip().lower() in VARIANTS | {"filter"}


def mapped(preview: ingest.Preview, columns: Columns, long: Long) -> ColumnMap:
    """The suggested roles, with those of a long table; columns that differ between an example's rows are left out."""
    varying = ingest.varying(columns, long.id)
    output = long.output or _output(preview, columns, long, varying)
    if not output:
        raise invalid(
            "No column differs between the rows of an example, except the one that tells them apart.", "long"
        )
    source = of_column(output) if output in preview.columns else output
    single = {long.id, long.column, output}
    roles = {
        name: "metadata" if role in ("output", "score", "key") else role
        for name, role in preview.roles.items()
        if name not in varying and name not in single
    }
    base = ColumnMap(
        key=long.id,
        variant=long.column or long.id,
        outputs=((LONG, source),),
        scores=tuple(
            ScoreColumn(name, LONG, column) for name, column in preview.scores.items() if column not in single
        ),
    )
    repeats = {"variant": "", "": "order"}.get(long.role, long.role)
    return replace(base.adding(roles), repeats=repeats, of_variant=output[:200] if repeats else "")


def _output(preview: ingest.Preview, columns: Columns, long: Long, varying: Sequence[str]) -> str:
    """The outputs of variants are those with a known name; labels of raters are the column with the fewest values."""
    free = [name for name in varying if name != long.column]
    if long.role == "rater":
        return min(free, key=lambda name: len({*columns[name]}), default="")
    known = [source for source in preview.outputs.values() if source in free or source.startswith("$")]
    scores = {*preview.scores.values(), *preview.unplaced_scores}
    texts = {
        name: sum(len(v) for v in columns[name] if isinstance(v, str)) for name in free if name not in scores
    }
    return next(iter(known), "") or max(texts, key=lambda name: texts[name], default="")
