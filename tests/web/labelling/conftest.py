"""A task about two variants."""

from tests.labelling.conftest import label_set, task, variants

__all__ = ["label_set", "task", "variants"]
