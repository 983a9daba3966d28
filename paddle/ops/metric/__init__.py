"""Operators of metrics."""
