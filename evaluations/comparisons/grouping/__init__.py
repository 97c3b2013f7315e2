"""Examples in groups: by metadata, input or length. They are clusters, columns of subsets, or a filter."""
