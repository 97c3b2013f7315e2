"""The JSON renderer."""

from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer


class JSONRenderer(BaseRenderer):
    """UTF-8, no escapes, no spaces. NaN cannot appear; it would become null."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else orjson.dumps(data, default=_plain)


def _plain(value: Any) -> Any:
    """Convert REST framework's own types of dict, list and text."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, str):
        return str.__str__(value)
    return list(value)
