"""The official `openai` package, as all calls use it: through our guarded client, and deaf to the environment.

Importing this module loads the package (about 550 modules and 15 MB), so `server` imports it with the first client,
and a caller before it forks.

The package reads variables of the environment (organization, project, keys, base URL, headers, log level) where an
argument is missing, so every argument is given; its headers would describe this machine, so ours replace them. Its
low-level `post` and `get` are used because they convert no message by its type, which costs 3 to 13 times as much.
"""

import os
from collections.abc import Mapping
from typing import Any

import httpx2

from evaluations.clients.way import Way

# On import, the package reads its log level from the environment, and would reconfigure the logging of the process.
_LOG_LEVEL = os.environ.pop("OPENAI_LOG", None)
try:
    from openai import APIStatusError, AzureOpenAI, Omit, OpenAI
finally:
    if _LOG_LEVEL is not None:
        os.environ["OPENAI_LOG"] = _LOG_LEVEL

NO_KEY = "none"  # The package demands a key; without one, its header is left out.
# These headers belong to single requests, and would tell servers our time limit.
UNSENT = {"x-stainless-retry-count": Omit(), "x-stainless-read-timeout": Omit()}
HEADERS = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "evalsite"}


class _Quiet:
    """Sends our headers instead of those of the package, which hold the environment's and describe this machine."""

    _custom_headers: Mapping[str, str]
    own_headers: Mapping[str, str] = {}

    @property
    def default_headers(self) -> dict[str, Any]:
        return {**HEADERS, **self.own_headers}


class _OpenAI(_Quiet, OpenAI):
    pass


class _AzureOpenAI(_Quiet, AzureOpenAI):
    pass


class Official:
    """The package's client of one server. Failures of transport are those of the guarded client (`ServiceError`)."""

    def __init__(self, base_url: str, api_key: str, way: Way, http: httpx2.Client) -> None:
        arguments: dict[str, Any] = {
            "api_key": api_key or NO_KEY,
            "admin_api_key": "",
            "organization": "",
            "project": "",
            "webhook_secret": "",
            "default_query": dict(way.query),
            "max_retries": 0,
            "http_client": http,
        }
        self._headers: dict[str, Any] = dict(UNSENT)
        self._client: _OpenAI | _AzureOpenAI
        if way.api_version:
            base_url = _azure_base(base_url)
            self._client = _AzureOpenAI(base_url=base_url, api_version=way.api_version, **arguments)
        else:
            self._client = _OpenAI(base_url=base_url, **arguments)
        own = {name.lower() for name in way.headers}
        if not api_key:
            self._headers |= {
                name: Omit() for name in ("Authorization", "api-key") if name.lower() not in own
            }
        self._client.own_headers = dict(way.headers)

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> httpx2.Response:
        """The response to a request with this body as JSON, whatever its status."""
        try:
            return self._client.post(path, cast_to=httpx2.Response, body=body, options=self._options(seconds))
        except APIStatusError as error:
            return error.response

    def get(self, path: str, seconds: float) -> httpx2.Response:
        try:
            return self._client.get(path, cast_to=httpx2.Response, options=self._options(seconds))
        except APIStatusError as error:
            return error.response

    def _options(self, seconds: float) -> Any:
        return {"headers": self._headers, "timeout": seconds}


def _azure_base(base_url: str) -> str:
    """Azure's API is below `/openai` of a resource; the deployment of a call is put into its address."""
    path = httpx2.URL(base_url).path.rstrip("/")
    return base_url if path.endswith("/openai") or "/openai/" in path else f"{base_url.rstrip('/')}/openai"
