"""Uploaded files: received, stored temporarily on disk or in a bucket, inspected, and deleted."""
