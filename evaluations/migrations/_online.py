"""Indexes of large tables, created while the site works."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently


class AddIndexOnline(AddIndexConcurrently):
    """Concurrently on PostgreSQL; SQLite, which has one writer, takes about a second for a million rows."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        schema_editor.add_index(to_state.apps.get_model(app_label, self.model_name), self.index)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
            return
        schema_editor.remove_index(from_state.apps.get_model(app_label, self.model_name), self.index)
