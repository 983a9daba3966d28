"""Operators of arithmetic: elementwise, comparisons, reductions, transforms."""
