"""What scores add up to, and whether two runs differ: arrays in, frozen dataclasses out, seeds as arguments.

`summary`, `histogram`, `intervals` and `ordering` need numpy alone. `paired`, `power`, `clusters` and what
they use import scipy, which takes a second: only what computes a comparison should import them.
"""
