"""Gates: criteria that a new run of a pipeline must meet, checked against its baseline."""
