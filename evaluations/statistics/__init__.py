"""Summaries of scores, and tests whether variants differ: arrays in, frozen dataclasses out, no Django.

`terms` defines the inputs and results of a comparison. `inference` computes a family of them: `figures` sums up each
pair of columns, `law` draws the critical values, `evidence` turns both into interval, p and verdict. `clusters`,
`ranking`, `power`, `missing`, `subsets` and `sentences` build on that.

`summary`, `histogram`, `intervals`, `ordering`, `squares` and `thresholds` need numpy alone. The others load parts of
scipy when they first compute, so that no process starts with them.
"""
