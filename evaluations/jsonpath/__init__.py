"""JSONPath (RFC 9535), compiled once, with limits that no saved path can exceed.

The grammar is jsonpath-rfc9535's; `match` and `search` run on RE2. Two things go beyond the RFC:
the leading `$.` may be left out, and a shorthand name may begin with a digit (`$.6b_model.solution`), as long
as it is not all digits.
"""

from evaluations.jsonpath.bounded import LIMITS, Limits, PathLimitError
from evaluations.jsonpath.path import (
    ABSENT,
    Absent,
    Path,
    PathError,
    Step,
    child,
    compile,
    from_names,
    look_up,
)

__all__ = [
    "ABSENT",
    "LIMITS",
    "Absent",
    "Limits",
    "Path",
    "PathError",
    "PathLimitError",
    "Step",
    "child",
    "compile",
    "from_names",
    "look_up",
]
