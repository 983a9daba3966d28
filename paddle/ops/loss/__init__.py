"""Operators of losses."""
