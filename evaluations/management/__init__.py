"""Terminal commands."""
