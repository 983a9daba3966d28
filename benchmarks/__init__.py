"""Benchmarks side by side with plain torch; `python -m benchmarks` prints one table of ratios."""
