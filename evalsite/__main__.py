"""The entry point of `python -m evalsite`, `manage.py` and the console script `evalsite-server`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run a management command; a mistake in the settings prints one line instead of a stack trace."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as mistake:
        sys.exit(f"evalsite: {mistake}")


if __name__ == "__main__":
    main()
