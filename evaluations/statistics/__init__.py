"""What scores add up to, and whether two runs differ: arrays in, frozen dataclasses out, seeds as arguments.

`summary`, `histogram`, `intervals`, `ordering`, `thresholds` and `clusters` need numpy alone. `paired`,
`power` and what they use import scipy, which takes a second: only what computes a comparison should.
"""
