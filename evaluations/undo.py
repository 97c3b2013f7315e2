"""How long a deleted object can be restored."""

from datetime import timedelta

UNDO = timedelta(days=7)
