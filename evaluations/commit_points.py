"""Named places in the code where a process may die without losing anything.

The crash tests end the process at each of them in turn; in production they do nothing.
"""

import os
from itertools import count

from django.conf import settings

_reached = count(1)


def reached(name: str) -> None:
    """Count the calls; at number EVALSITE_FAIL_AT (from 1) end this process as `kill -9` would."""
    if settings.FAIL_AT and next(_reached) == settings.FAIL_AT:
        os.write(2, f"{name}\n".encode())
        os._exit(9)
