"""Prompts in use outside this site: labels on versions, prompts as files, and code that sends them."""
