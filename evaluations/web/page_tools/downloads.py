"""Files of runs, experiments and datasets, as their pages offer them.

CSV is made for spreadsheets: no cell runs as a formula, and the file begins with a byte-order mark, without which
Excel misreads accents. With `safe=false` (`no` in older links) texts are unchanged and there is no mark.
"""

from collections.abc import Iterator

from django.http import StreamingHttpResponse

from evaluations.results import exports, large_files
from evaluations.results.filenames import attachment

from .request import HttpRequest


def is_safe(request: HttpRequest) -> bool:
    """Whether texts of a file are kept from running as formulas; the API takes the same spelling."""
    return request.GET.get("safe") not in ("false", "no")


def options(request: HttpRequest) -> tuple[str, dict[str, bool]]:
    """The format in the address, and the options of the exports."""
    safe = is_safe(request)
    return request.GET.get("format", "csv"), {"safe": safe, "bom": safe}


def answer(
    request: HttpRequest, name: str, kind: str, content: Iterator[bytes], rows: int
) -> StreamingHttpResponse:
    """The content as a streamed download.

    Raises `Invalid` for an unknown format or too many rows, `TooManyRequests` if too many large files are being
    written.
    """
    media_type = exports.check(kind, rows)
    headers = {"Content-Disposition": attachment(name, kind), "X-Accel-Buffering": "no"}
    limited = large_files.limited(content, rows, request.user.pk)
    return StreamingHttpResponse(limited, content_type=media_type, headers=headers)
