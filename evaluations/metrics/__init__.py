"""Formulas over batches of texts or JSON values; numpy in, numpy out, no Django."""
