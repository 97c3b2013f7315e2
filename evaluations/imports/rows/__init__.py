"""The rows of a file during an import: read ahead, checked, sorted by their effect on a dataset, refused."""
