"""The rows of a run with their scores: filters, order, pages and exports."""
