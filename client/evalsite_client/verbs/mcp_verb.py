"""`evalsite mcp`: serves read-only tools to an agent."""

import io
import sys

import click

from ..mcp.server import Server
from ..session import Session, connected


@click.command("mcp")
@connected
def command(session: Session) -> None:
    """Serve tools to an agent by the Model Context Protocol, on standard input and output.

    All tools are read-only. Use a key with the scope "read".
    """
    messages = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    answers = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    Server(session.client).serve(messages, answers)
