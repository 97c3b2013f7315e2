"""Trials: a few variants of a prompt answer a few examples, to look at before a launch."""
