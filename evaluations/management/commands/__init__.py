"""One module for each `manage.py` command."""
