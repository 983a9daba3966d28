"""Operators that make, rearrange, cut, join, index and search tensors."""
