"""Text that every database and every JSON encoder accepts."""

import re

_REFUSED = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """NUL and lone surrogates become U+FFFD; a text without them is given back as the same object.

    PostgreSQL refuses NUL in text, and no UTF-8 encoder takes a lone surrogate. SQLite would keep both: the same rule
    on both databases keeps them alike. Use it on every text that enters the database, model outputs and errors too.
    """
    return _REFUSED.sub("\ufffd", text) if _REFUSED.search(text) else text
