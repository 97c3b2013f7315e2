"""Asking people, and the pages of raters."""
