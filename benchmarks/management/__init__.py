"""Terminal commands that measure."""
