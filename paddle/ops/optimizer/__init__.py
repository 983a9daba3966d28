"""Operators that update parameters, and what belongs to updates."""
