"""Backups, purging, retention by age, system checks, and the watchdog of workers."""
