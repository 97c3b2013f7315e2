"""Named moments at which a process may die and nothing must be lost.

The crash loop of the tests lets it die at each of them in turn; in production they do nothing.
"""

import os
from itertools import count

from django.conf import settings

_reached = count(1)


def reached(name: str) -> None:
    """End this process as `kill -9` would if this is the moment that EVALSITE_FAIL_AT counts to, from 1."""
    if settings.FAIL_AT and next(_reached) == settings.FAIL_AT:
        os.write(2, f"{name}\n".encode())
        os._exit(9)
