"""Recognises the errors by which databases and the operating system report a full disk."""

import errno
import sqlite3

POSTGRESQL_DISK_FULL = "53100"


def is_cause_of(problem: BaseException | None) -> bool:
    """Whether an exception, or one in its chain of causes, reports a full disk."""
    while problem is not None:
        if (
            getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            or getattr(problem, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            or getattr(problem, "sqlstate", None) == POSTGRESQL_DISK_FULL
        ):
            return True
        problem = problem.__cause__
    return False
