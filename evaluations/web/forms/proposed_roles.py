"""The roles that are proposed for the columns of a file, by column."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from evaluations import ingest
from evaluations.imports.changes import KEY_NAMES
from evaluations.ingest.column_names import words_of
from evaluations.ingest.score_words import LOWER
from evaluations.ingest.suggest import names_without_prefix, part_of

from .choice import PARTS, ROLE_OF


def suggested(preview: ingest.Preview, guesses: Mapping[str, ingest.Guess]) -> dict[str, str]:
    """The roles of the columns of a new dataset, by their names and by what was guessed."""
    # such as the latency of an output
    slow = [name for name in preview.likely_scores if words_of(name) & LOWER] if preview.outputs else []
    roles = preview.roles | {name: guess.role for name, guess in guesses.items()}
    roles |= {name: "low score" for name in slow if roles[name] == "metadata"}
    shown = {name: ROLE_OF.get(role, role) for name, role in roles.items()}
    return shown if preview.format.own else shown | _of_export(preview.columns)


def _of_export(columns: Sequence[str]) -> dict[str, str]:
    """The columns of scores and positions in parts of an exported file, as no metadata: they are computed again."""
    names = {*columns}
    scores = [name for name in columns if {f"{name} {end}" for end in ("status", "version")} <= names]
    own = [f"{name}{end}" for name in scores for end in ("", " passed", " status", " version")]
    return dict.fromkeys(names & {*own, *(("position",) if scores else ())}, "leave out")


def stored_roles(stored: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """The roles of columns that the dataset has, also if an export prefixed them with their part."""
    parts = {name: part for name in columns if (part := stored.get(name) or part_of(name))}
    return {name: "key" for name in columns if name in KEY_NAMES} | {
        name: ROLE_OF[part] for name, part in parts.items()
    }


def short_names_of(roles: Mapping[str, str], stored: Collection[str]) -> dict[str, str]:
    """The names of columns without an export's prefix; columns of the dataset keep theirs."""
    short_names = names_without_prefix({column: PARTS.get(role, role) for column, role in roles.items()})
    return {column: name for column, name in short_names.items() if column not in stored}
