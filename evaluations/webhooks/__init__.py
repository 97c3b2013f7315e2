"""Webhooks: stored events, signed and sent with retries."""
