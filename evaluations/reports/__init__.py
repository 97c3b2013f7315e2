"""A comparison as one HTML or JSON file, with its regressions and digests of its sources."""
