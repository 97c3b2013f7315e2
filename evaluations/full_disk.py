"""A full disk, however the database or the operating system spells it."""

import errno
import sqlite3

POSTGRESQL_DISK_FULL = "53100"


def is_cause_of(problem: BaseException | None) -> bool:
    """True when an error, or one behind it, says that a disk is full."""
    while problem is not None:
        if (
            getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            or getattr(problem, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            or getattr(problem, "sqlstate", None) == POSTGRESQL_DISK_FULL
        ):
            return True
        problem = problem.__cause__
    return False
