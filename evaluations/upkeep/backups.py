"""Backs up the whole site into one file while it runs; a restored site continues its runs.

The file is a tar archive: a consistent copy of the database, and the uploaded files that wait for import. It lacks the
secret key, without which the keys of connections cannot be decrypted.
"""

import os
import shutil
import sqlite3
import subprocess
import tarfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection

from evaluations.errors import Refusal
from evaluations.imports.uploads.uploads import PARKED_NAME

NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
UPLOADS = "uploads/"


def write(file: Path) -> None:
    """Write a backup. Only this user can read the file, which appears once it is complete."""
    name = NAMES[connection.vendor]
    with TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
        dump, draft = Path(folder, name), Path(folder, "draft.tar")
        draft.touch(mode=0o600)
        with tarfile.open(draft, "w") as archive:
            stored = _add_uploads(archive, set())
            _dump(dump)
            archive.add(dump, name)
            _add_uploads(archive, stored)  # files that arrived while the database was being copied
        draft.replace(file)


def restore(file: Path) -> None:
    """Replace everything by a backup; work in progress continues when its leases expire."""
    name = NAMES[connection.vendor]
    with TemporaryDirectory() as folder, tarfile.open(file) as archive:
        if name not in archive.getnames():
            raise Refusal(
                "no_backup", f"{file} has no {name}: it is not a backup of a {connection.vendor} site."
            )
        archive.extract(name, folder, filter="data")
        _load(Path(folder, name))
        for member in archive.getmembers():
            stored_as = member.name.removeprefix(UPLOADS)
            if PARKED_NAME.fullmatch(stored_as) and not default_storage.exists(stored_as):
                default_storage.save(stored_as, File(archive.extractfile(member)))


def _add_uploads(archive: tarfile.TarFile, stored: set[str]) -> set[str]:
    for stored_as in default_storage.listdir("")[1]:
        if not PARKED_NAME.fullmatch(stored_as) or stored_as in stored:
            continue
        try:
            file = default_storage.open(stored_as)
        except FileNotFoundError:
            continue  # its import ended meanwhile
        with file:
            member = tarfile.TarInfo(UPLOADS + stored_as)
            member.size = file.size
            archive.addfile(member, file)
        stored.add(stored_as)
    return stored


def _dump(file: Path) -> None:
    if connection.vendor == "postgresql":
        _run("pg_dump", "--format=custom", "--no-owner", f"--file={file}")
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(file)) as copy:
        connection.connection.backup(copy)


def _load(file: Path) -> None:
    connection.close()
    if connection.vendor == "postgresql":
        database = connection.settings_dict["NAME"]
        options = ("--clean", "--if-exists", "--no-owner", "--single-transaction", f"--dbname={database}")
        _run("pg_restore", *options, str(file))
        return
    with closing(sqlite3.connect(file)) as copy, closing(sqlite3.connect(_path())) as target:
        copy.backup(target)


def _path() -> str:
    return str(connection.settings_dict["NAME"])


def _run(program: str, *arguments: str) -> None:
    """Run a PostgreSQL program on our database; the password is passed in the environment."""
    if shutil.which(program) is None:
        line = " ".join((program, *arguments))
        raise Refusal("no_program", f"{program} is not installed here. On a machine that has it, run: {line}")
    settings = connection.settings_dict
    environment_values = {
        "PGDATABASE": settings["NAME"],
        "PGHOST": settings["HOST"] or settings["OPTIONS"].get("host"),
        "PGPORT": settings["PORT"],
        "PGUSER": settings["USER"],
        "PGPASSWORD": settings["PASSWORD"],
    }
    variables = {name: str(value) for name, value in environment_values.items() if value}
    done = subprocess.run([program, *arguments], env=os.environ | variables, capture_output=True, text=True)
    if done.returncode:
        raise Refusal("program_failed", f"{program} said: {done.stderr.strip()}")
