"""`python -m tests.faults.sweeper`: a fast beat, which sweeps twice a second as long as it lives."""

import time
from importlib import import_module

import django
from django.db import DatabaseError, connection

EVERY = 0.5  # seconds


def main() -> None:
    django.setup()
    tasks = import_module("evaluations.tasks")  # Models can be imported only now.
    while True:
        try:
            tasks.sweep()
        except DatabaseError:
            connection.close()
        time.sleep(EVERY)


if __name__ == "__main__":
    main()
