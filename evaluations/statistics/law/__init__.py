"""The joint null distribution of a family's statistics: critical values and p."""
