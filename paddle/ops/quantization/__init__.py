"""Operators of quantisation."""
