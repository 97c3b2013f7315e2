"""Outputs of several variants inside one column, which become columns: {"responses": {"small": "5", "large": "4"}}.

Each variant gets a column with its name, and one for each other thing that is said about its output: "small latency".
The column itself stays, so that paths into it still lead there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from evaluations.conversations.messages import conversation

from . import wrapped
from .batch import Row
from .column_names import is_named_as_variant, words_of
from .known_names import NAMES, TELL_APART, VARIANTS, WELL_KNOWN
from .options_of_systems import are_of_systems
from .role_words import INPUT_WORDS, OF_ANSWERS, OF_CHOICES, OF_SEVERAL
from .suggest import plain, roles
from .whole_answers import FEWEST, are_of_one_kind, counts, has_fields_of, value_of

FEW = 2
MOST_VARIANTS = 20
OFTEN = 10  # of this many objects, one at least must name each variant
FIELDS = 30  # of an output
# names of lists in which each variant has its place
OF_PLACES = {"outputs", "predictions", "replies", "responses"}
MOST_PLACES = 4
PLACES_SAID = 4  # of this many texts, one at least must have several words
_NAMING = TELL_APART | {"by", "id", "label", "name", "provider", "source"}
_ASKED = INPUT_WORDS - {"text"}
_FIELDS = WELL_KNOWN | TELL_APART | {"content", "message", "type"}  # names of the parts of one answer
ONLY = "only"
Form = Literal["objects", "items", "beside", "places", "one"]


class Parted(NamedTuple):
    """A column with something of each variant.

    Its cells are `objects` by variant, or lists of `items` that name theirs in the field `by`, or lists `beside` a list
    of names in the column `by`, or lists in which each variant has its place (`places`), or objects of `one` variant,
    in whose place its output stands (`by` is ONLY if that is alone in a list). `output` is the field with the output;
    "" where that is the member itself, and None of a column that says something about the outputs, which the first
    column of a file has.
    """

    column: str
    form: Form = "objects"
    by: str = ""
    output: str | None = ""

    @classmethod
    def of_stored(cls, fields: Sequence[Any]) -> "Parted":
        """The column from the list in which it is stored; before version 0.1.0 it had a flag for each form.

        >>> Parted.of_stored(["small", "", "", "text", False, False, True])
        Parted(column='small', form='one', by='', output='text')
        """
        if len(fields) <= len(cls._fields):
            return cls(*fields)
        column, names, naming, output, is_about, in_order, is_one = fields
        flags: dict[Form, Any] = {"one": is_one, "places": in_order, "beside": names, "items": naming}
        form: Form = next((form for form, is_so in flags.items() if is_so), "objects")
        return cls(column, form, names or naming, None if is_about else output)


Members = dict[str, Any]  # of a cell, by variant


def find(rows: Sequence[Row]) -> tuple[Parted, ...]:
    """The columns whose cells hold the outputs of several variants, and what is said about each.

    >>> row = {"q": "2+2?", "gold": "4", "predictions": {"small": "5", "large": "4"}, "right": {"small": 0, "large": 1}}
    >>> [parted.column for parted in find([row])]
    ['predictions', 'right']
    >>> find([{"q": "2+2?", "answers": [{"model": "small", "text": "5"}, {"model": "large", "text": "4"}]}])
    (Parted(column='answers', form='items', by='model', output='text'),)
    >>> find([{"q": "2+2?", "options": {"A": "4", "B": "5"}}])
    ()
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    if wrapped.find(rows):
        return ()
    right = [name for name, role in roles(columns).items() if role == "reference"]
    for column in columns:
        if _is_in_order(column, columns, rows):
            return (Parted(column, "places"),)
        cells = [value for row in rows if (value := value_of(row.get(column))) not in (None, {}, [])]
        for parted in _readings(column, columns, rows, cells):
            found = [members(parted, row) for row in rows]
            variants = [name for one in found for name in one]
            answered = [value_of(row.get(name)) for row in rows for name in right]
            if any(isinstance(value, dict) and value.keys() == {*variants} for value in answered):
                continue  # the fields of one answer, which the reference has, too
            values = [value for one in found for value in one.values()]
            if sum(value not in (None, "", [], {}) for value in values) * 2 <= len(values):
                continue  # such as what a search did not find
            others = [name for name in columns if name != column]
            are_alike = parted.form == "objects" and are_of_one_kind(others, rows, found)
            are_systems = parted.by == "id" and are_of_systems(cells)
            are_variants = are_systems or _are_variants(parted, variants, found, are_alike)
            if are_variants and not _are_options({*variants}, columns, rows):
                is_whole = are_alike or has_fields_of(others, rows, values)
                outputs = parted._replace(output="" if is_whole else _output(values))
                if are_alike or _are_outputs(outputs, found):
                    return outputs, *_about(outputs, columns, rows, {*variants})
    return _of_one_each(columns, right, rows) or _of_answer(columns, rows)


def _of_answer(columns: Sequence[str], rows: Sequence[Row]) -> tuple[Parted, ...]:
    """The one column named as an answer in a table of objects only, with the field of its text: a table of structs."""
    answers = [name for name in columns if plain(name).strip("_") in NAMES["output"]]
    if len(answers) != 1 or len(columns) == 1:
        return ()
    cells = [cell for row in rows for name in columns if (cell := row.get(name)) is not None]
    if len(rows) < FEWEST or not all(isinstance(cell, dict) for cell in cells):
        return ()
    found: list[Any] = [cell for row in rows if (cell := row.get(answers[0]))]
    fields = [name for name in counts(found) if plain(name) not in NAMES["inputs"]]
    texts = (name for name in fields if _are_texts([only_of(one.get(name)) for one in found]))
    output = next(texts, "")
    are_lists = any(isinstance(one.get(output), list) for one in found)
    return (Parted(answers[0], "one", ONLY if are_lists else "", output),) if output else ()


def _of_one_each(columns: Sequence[str], right: Sequence[str], rows: Sequence[Row]) -> tuple[Parted, ...]:
    """Two or more columns of objects with the same fields, one of them an output: {"old": {"answer": …, "ms": …}}.

    Objects that name a model are sides of a row.
    """
    cells = {
        name: [cell for row in rows if (cell := row.get(name)) is not None]
        for name in columns
        if name not in right and plain(name) not in _FIELDS | _ASKED
    }
    objects = {
        name: found
        for name, found in cells.items()
        if len(found) >= FEWEST and all(isinstance(cell, dict) and len(cell) > 1 for cell in found)
    }
    every: list[Any] = [cell for found in objects.values() for cell in found]
    output = _output(every)
    if len(objects) < FEW or not output or not _alike(every) or conversation(every[0]):
        return ()
    if any(plain(name) in TELL_APART for name in every[0]) or has_fields_of(right, rows, every):
        return ()
    return tuple(Parted(name, "one", output=output) for name in objects)


def _is_in_order(column: str, columns: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether a column of outputs has lists of equally many texts, of a few variants that nothing names.

    Lists of generations or samples are those of one model.
    """
    cells = [value_of(row.get(column)) for row in rows]
    lengths = {len(cell) if isinstance(cell, list) else 0 for cell in cells}
    if plain(column) not in OF_PLACES or len(lengths) != 1 or not 1 < max(lengths) <= MOST_PLACES:
        return False
    texts = [text for cell in cells for text in cell]
    are_sentences = sum(isinstance(text, str) and " " in text for text in texts) * PLACES_SAID > len(texts)
    is_one_of_several = any(plain(name) in TELL_APART for name in columns)
    return are_sentences and all(isinstance(text, str) for text in texts) and not is_one_of_several


def with_columns(row: Row, parted: Sequence[Parted]) -> tuple[Row, dict[str, str]]:
    """The row with columns for each variant behind the one that holds them all, and those of outputs, by variant.

    >>> row = {"answers": [{"model": "small", "text": "5", "ms": 9}]}
    >>> with_columns(row, [Parted("answers", "items", "model", "text")])
    ({'answers': [{'model': 'small', 'text': '5', 'ms': 9}], 'small': '5', 'small ms': 9}, {'small': 'small'})
    """
    added, outputs = Row(row), dict[str, str]()
    for one in parted:
        for variant, member in members(one, row).items():
            is_taken = variant in row and one.form != "one"
            name = outputs.setdefault(variant, f"{parted[0].column} {variant}" if is_taken else variant)
            for field, value in _fields(one, member):
                added[f"{name} {field}" if field else name] = value
    return added, outputs


def members(parted: Parted, row: Row) -> Members:
    """What a cell holds for each variant, by its name; the first of several with one name."""
    cell = value_of(row.get(parted.column))
    pairs: list[tuple[Any, Any]] = []
    if parted.form == "one":
        pairs = [(parted.column, cell)] if cell is not None else []
    elif parted.form == "objects":
        pairs = [*cell.items()] if isinstance(cell, dict) else []
    elif not isinstance(cell, list):
        pairs = []
    elif parted.form == "beside":
        names = value_of(row.get(parted.by))
        pairs = [*zip(names, cell, strict=False)] if isinstance(names, list) else []
    elif parted.form == "places":
        pairs = [(f"{parted.column} {place}", text) for place, text in enumerate(cell, 1)]
    else:
        pairs = [(item.get(parted.by), item) for item in cell if isinstance(item, dict)]
    found: Members = {}
    for name, member in pairs:
        if isinstance(name, str) and name.strip():
            found.setdefault(name.strip(), member)
    return found


def only_of(value: Any) -> Any:
    """The only member of a list; anything else as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _readings(
    column: str, columns: Sequence[str], rows: Sequence[Row], cells: Sequence[Any]
) -> Iterator[Parted]:
    """The ways in which the cells of a column may name variants; options do so where models or prompts name them."""
    if not cells or any(conversation(cell) for cell in cells[:3]):
        return
    if plain(column) in _ASKED:
        if are_of_systems(cells):
            yield Parted(column, "items", "id")
    elif all(isinstance(cell, dict) for cell in cells):
        yield Parted(column)
    elif all(isinstance(cell, list) for cell in cells):
        objects = [item for cell in cells for item in cell]
        if all(isinstance(item, dict) for item in objects):
            fields = [name for name, count in counts(objects).items() if count == len(objects)]
            yield from (
                Parted(column, "items", name)
                for name in sorted(fields, key=lambda name: plain(name) not in TELL_APART)
                if plain(name) in _NAMING
            )
        else:
            yield from (
                Parted(column, "beside", other)
                for other in columns
                if other != column and all(_are_names(row.get(other), row.get(column)) for row in rows)
            )


def _are_options(names: set[str], columns: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether names are letters of which a column says the right one, as those of the options of a question."""
    if max(map(len, names), default=0) > 1:
        return False
    keys = ([row.get(name) for row in rows] for name in columns if not words_of(name) & OF_CHOICES)
    return any(all(isinstance(cell, str) and cell.strip() in names for cell in cells) for cells in keys)


def _are_names(names: Any, cell: Any) -> bool:
    """Whether a cell is a list of different texts, one for each member of another list."""
    names, cell = value_of(names), value_of(cell)
    return (
        isinstance(names, list)
        and isinstance(cell, list)
        and len(names) == len(cell) == len({*map(str, names)}) > 1
        and all(isinstance(name, str) for name in names)
    )


def _are_variants(
    parted: Parted, variants: Sequence[str], found: Sequence[Members], are_of_one_kind: bool
) -> bool:
    """Whether the names are few and come often, most objects have several, and words say that they are variants.

    Instead of words, what they have in common with another column may say so.
    """
    often = Counter(variants)
    are_fields = any(plain(name) in _FIELDS for name in often)
    if not 1 < len(often) <= MOST_VARIANTS or are_fields:
        return False
    present = [one for one in found if one]
    is_often = min(often.values()) * OFTEN >= len(present)
    are_several = sum(len(one) > 1 for one in present) * 2 > len(present)
    words = words_of(parted.column)
    are_outputs = plain(parted.column).removesuffix("s") + "s" in OF_SEVERAL or bool(words & OF_SEVERAL)
    are_outputs |= bool(words & VARIANTS)  # as in by_model
    are_named = plain(parted.by).removesuffix("s") in TELL_APART
    are_models = sum(map(is_named_as_variant, often)) * 2 >= len(often) and len(present) >= FEWEST
    are_said = are_outputs or are_named or are_models or are_of_one_kind
    return is_often and are_several and are_said


def _output(values: Sequence[Any]) -> str:
    """The field of objects that holds the output: by its name, else the first one with texts that differ."""
    objects = [value for value in values if isinstance(value, dict)]
    if len(objects) * 2 <= len(values) or all(conversation(value) for value in objects[:3]):
        return "content" if objects and all(isinstance(one.get("content"), str) for one in objects) else ""
    names = [name for name, count in counts(objects).items() if count * 2 > len(objects)]
    named = [name for name in names if plain(name) in NAMES["output"]]
    named += [name for name in names if plain(name) in OF_ANSWERS or plain(name) == "result"]
    named += [name for name in names if words_of(name) & OF_ANSWERS]
    texts = [name for name in names if _are_texts([one.get(name) for one in objects])]
    return next(iter([*named, *texts]), "")


def _are_texts(values: Sequence[Any]) -> bool:
    texts = [value for value in values if isinstance(value, str) and value]
    return len(texts) * 2 > len(values) and len({*texts}) > 1


def _are_outputs(parted: Parted, found: Sequence[Members]) -> bool:
    """Whether members are texts or structures, each kind alike, and no numbers or single objects of one answer."""
    values = [value for one in found for value in one.values() if value is not None]
    if parted.output:
        return all(isinstance(value, dict) for value in values)
    if parted.form == "items":
        return False
    kinds = {type(value) for value in values}
    return bool(kinds) and kinds <= {str, dict, list} and (str in kinds or kinds == {list} or _alike(values))


def _alike(values: Sequence[Any]) -> bool:
    """Whether objects have most of their fields in common."""
    fields = [value.keys() for value in values if isinstance(value, dict) and value]
    return len(fields) > 1 and all(len(fields[0] & other) * 2 > len(fields[0] | other) for other in fields)


def _about(
    outputs: Parted, columns: Sequence[str], rows: Sequence[Row], variants: set[str]
) -> Iterator[Parted]:
    """Columns whose cells name the same variants, with one number, text or object for each."""
    form: Form = "beside" if outputs.form == "beside" else "objects"
    by = outputs.by if form == "beside" else ""
    for column in columns:
        if column in (outputs.column, by):
            continue
        by_name = Parted(column, form, by, None)
        found = [one for row in rows if (one := members(by_name, row))]
        if found and all(one.keys() <= variants for one in found):
            yield by_name


def _are_plain(value: Mapping[str, Any]) -> bool:
    """Whether an object has a few numbers, verdicts or texts, as what a judge said."""
    return len(value) <= FIELDS and all(isinstance(one, int | float | str | None) for one in value.values())


def _fields(parted: Parted, member: Any) -> Iterator[tuple[str, Any]]:
    """The names and values of what a member says; the output has no name."""
    about = parted.column if parted.output is None else ""
    if not isinstance(member, dict) or not (parted.output or about):
        yield about, member
        return
    for name, value in [*member.items()][:FIELDS]:
        if parted.form == "items" and name == parted.by:
            continue
        field = " ".join(filter(None, (about, "" if name == parted.output else name)))
        value = only_of(value) if name == parted.output and parted.by == ONLY else value
        if isinstance(value, dict) and value and not conversation(value) and _are_plain(value):
            yield from ((f"{field} {inner}", one) for inner, one in value.items())
        else:
            yield field, value
