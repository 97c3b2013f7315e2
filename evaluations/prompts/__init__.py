"""Prompts and their versions, templates, rendering, prices, and the ledger of paid calls."""
