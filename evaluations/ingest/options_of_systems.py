"""Whether the options of which people chose one are what several systems wrote, and not those of a question."""

from collections.abc import Sequence
from typing import Any

from evaluations.linear import Pattern
from evaluations.mapping.options import NAMED

from .column_names import is_named_as_variant
from .suggest import plain

FEWEST = 3  # rows
MOST_SYSTEMS = 20
BY = "id"
_OPTION = Pattern(rf"(?:{NAMED}|_)?(?:[a-z]|\d+)")


def are_of_systems(cells: Sequence[Any]) -> bool:
    """Whether the objects of all lists have ids that are named like models, or the same few ids with new texts each.

    Ids such as A and option_2 are those of a question, and so are those whose texts are always the same.

    >>> are_of_systems([[{"id": one, "text": f"{one} {n}"} for one in ("plain", "funny")] for n in range(5)])
    True
    >>> are_of_systems([[{"id": one, "text": f"{one} {n}"} for one in ("option_1", "option_2")] for n in range(5)])
    False
    >>> are_of_systems([[{"id": one, "text": one.title()} for one in ("sports", "music")] for n in range(5)])
    False
    """
    lists = [cell if isinstance(cell, list) else [cell] for cell in cells]
    objects = [
        item for one in lists for item in one if isinstance(item, dict) and isinstance(item.get(BY), str)
    ]
    if not objects or len(objects) < sum(map(len, lists)):
        return False
    if all(is_named_as_variant(item[BY]) for item in objects):
        return True
    names = {frozenset(item[BY] for item in one) for one in lists}
    systems = next(iter(names))
    are_same = len(cells) >= FEWEST and len(names) == 1 and 1 < len(systems) <= MOST_SYSTEMS
    texts = {str({name: value for name, value in item.items() if name != BY}) for item in objects}
    return (
        are_same
        and not any(_OPTION.fullmatch(plain(name)) for name in systems)
        and len(texts) * 2 > len(objects)
    )
