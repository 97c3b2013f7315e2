"""The queue of long work: claim, extend, pause, give back, split and sweep leased rows."""
