"""Names of downloads."""

import re

from django.utils.http import content_disposition_header

# parts of a path, control characters, and marks that reverse the direction of text ("gpj.exe" shown as "exe.jpg")
UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f/\\:*?\"<>|\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def attachment(name: str, kind: str) -> str:
    """The `Content-Disposition` header of a download.

    >>> attachment("../../etc/passwd", "csv")
    'attachment; filename="etc passwd.csv"'
    """
    fit = " ".join(UNFIT.sub(" ", name).replace("..", " ").split()) or "export"
    return content_disposition_header(True, f"{fit}.{kind}") or ""
