"""Measurements of speed, memory and disk; left out of the wheel."""
