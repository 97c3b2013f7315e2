"""Accounts: signing in, invitations, the user's own account, and all accounts of the site."""
