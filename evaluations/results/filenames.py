"""Names of downloads."""

from django.utils.http import content_disposition_header

# parts of a path, control characters, and marks that reverse the direction of text ("gpj.exe" shown as "exe.jpg")
UNFIT = dict.fromkeys(
    (
        *range(0x20),
        *range(0x7F, 0xA0),
        *map(ord, '/\\:*?"<>|\u061c\u200e\u200f'),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    " ",
)


def attachment(name: str, kind: str) -> str:
    """The `Content-Disposition` header of a download.

    >>> attachment("../../etc/passwd", "csv")
    'attachment; filename="etc passwd.csv"'
    """
    fit = " ".join(name.translate(UNFIT).replace("..", " ").split()) or "export"
    return content_disposition_header(True, f"{fit}.{kind}") or ""
