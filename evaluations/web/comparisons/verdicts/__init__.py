"""Tables under a verdict: means of one variant, a duel of two, a ranking of three or more; and lists of verdicts."""
