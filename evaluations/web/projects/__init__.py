"""Projects: the front page, settings, members, the audit log, retention and webhooks."""
