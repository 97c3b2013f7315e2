"""The machine: its database, storage, workers, backups and webhooks."""

CODES = {
    "database_unavailable": (
        "The database does not answer.",
        "Try again in a moment. If it persists, check the database and DATABASE_URL.",
    ),
    "no_backup": (
        "The file is not a backup, or its database is of another kind (SQLite or PostgreSQL).",
        "Restore it on a site with the same kind of database.",
    ),
    "no_program": (
        "A database program is not installed on this machine.",
        "Run the command on a machine that has PostgreSQL's programs; see backup.md.",
    ),
    "program_failed": (
        "A database program failed. The message quotes its error.",
        "Read the error of the program.",
    ),
    "storage_full": (
        "The disk of the server is full.",
        "Free space on the disks of uploads, data folder and database; waiting work continues by itself.",
    ),
    "storage_unavailable": (
        "The storage of uploads returned an error.",
        "Try again in a moment. If it persists, check EVALSITE_STORAGE and its credentials.",
    ),
    "too_many_webhooks": (
        "The project already has the maximum number of webhooks.",
        "Delete one that is no longer needed.",
    ),
    "too_slow": (
        "Scoring this example took more than 10 seconds of processor time.",
        "Shorten the texts of the example, or use another evaluator; then retry the run's errors.",
    ),
    "worker_lost": (
        "The worker stopped while it read the file, scored the example or ran the trial.",
        "Check the worker's log; often memory ran out. Then retry, or split the file.",
    ),
}
