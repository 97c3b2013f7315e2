"""`evalsite login`: stores the address and key of a site."""

import sys

import click

from .. import settings
from ..session import Session, connected


@click.command("login")
@connected
def command(session: Session) -> None:
    """Store the address and the API key of a site in a file that only you can read.

    Without --key or EVALSITE_KEY, the command asks for the key without showing it, or reads it from standard input.
    Address and key are tested before they are stored.
    """
    url, key = settings.or_environment(session.url, session.key)
    session.url = settings.site(url or click.prompt("Address of the site", err=True))
    session.key = key or _typed_key()
    project = session.client.project()
    path = settings.store(session.client.settings)
    name = f"{project['name']}, as {project['key']['name']} (scope {project['key']['scope']})"
    session.answer(project, f"Stored in {path}: project {name}")


def _typed_key() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("API key", hide_input=True, err=True))
    return sys.stdin.readline().strip()
