"""What is advised for some data: a kind with its settings, how it reads, and why."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluations.values import JSON

MOST = 0.9  # share of the references that must have a shape
# settings for lists whose order does not count: a share of their members, all of them, or those of lists in records
LIST_F1: dict[str, JSON] = {"measure": "f1", "lists": "best"}
WHOLE_LIST_F1: dict[str, JSON] = LIST_F1 | {"whole": True}  # of entities and triples
SAME_LABELS: dict[str, JSON] = {"ignore_order": True}
ANY_ORDER: dict[str, JSON] = {"lists": "best"}
ALLOWED: dict[str, JSON] = {"arguments": "allowed"}  # for each argument of a call there is a list
AS_FRACTIONS: dict[str, JSON] = {"percent": "fraction"}  # 45 % is 0.45
WITH_COMMA: dict[str, JSON] = {"decimal": "comma"}  # 1.629 is 1629
AS_WORDS = {"step": "normalize", "case": "fold", "punctuation": "remove", "whitespace": "collapse"}
WITHOUT_BLANKS_AND_CASE = {"step": "normalize", "case": "fold", "whitespace": "remove"}
WHOLE_WORDS: dict[str, JSON] = {"whole_words": True}  # "7" is not in 17
WITH_SIZES: dict[str, JSON] = {"scale": "read"}  # "1.2 million" is 1200000


class Advised(NamedTuple):
    """A kind, and the reason in words of the data: "196 of 199 references end in a number"."""

    kind: str
    reason: str
    is_any: bool = False  # the members of each reference are several right answers
    are_columns: bool = False  # these stand in several columns
    path: str = ""  # the field of each reference that has them
    members: tuple[str, ...] | None = None  # each side is a list: of these labels, or of anything if empty
    config: dict[str, JSON] = {}  # settings other than the kind's own
    is_code: bool = False
    read: Sequence[Any] = ()  # the steps by which both sides are read
    of_outputs: Sequence[Any] = ()  # the steps by which outputs alone are read
    of_references: Sequence[Any] = ()  # and those by which references alone are
    doubt: str = ""  # why it should not decide before somebody has looked
