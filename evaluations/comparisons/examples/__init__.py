"""The examples of a comparison: filtered and sorted, and those whose outputs differ."""
