"""Accounts, projects, members, invitations, API keys, sessions, permissions, limits and the audit log."""
