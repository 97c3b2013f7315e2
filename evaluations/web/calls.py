"""A page as an API call: the command that fetches the same data."""

from django.http import HttpRequest


def curl(request: HttpRequest, address: str) -> str:
    return f'curl -H "Authorization: Bearer $EVALSITE_KEY" "{request.build_absolute_uri(address)}"'
