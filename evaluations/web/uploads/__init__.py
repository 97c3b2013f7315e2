"""Uploads: a file, its columns, and the confirmation; saved mappings, and exports of other tools."""
