"""The boundary around each row of a list: a row that cannot be computed says so, and the others are shown.

A fault in one comparison must not take a home page or a list with it. It is logged with its traceback.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import Error as DatabaseError

T = TypeVar("T")
FAILED = "Cannot be computed"

logger = logging.getLogger(__name__)


def computed(compute: Callable[[], T], otherwise: Callable[[], T], what: str) -> T:
    """The computed row; if computing raises, it is logged, and the row is `otherwise`.

    An error of the database is raised, because it concerns the whole page.
    """
    try:
        return compute()
    except DatabaseError:
        raise
    except Exception:
        logger.exception("%s cannot be computed", what)
        return otherwise()
