"""All runs on a dataset: trends of their means, leaderboards, and the order of variants by each evaluator."""
