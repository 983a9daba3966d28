"""Runs Programs: a Program becomes a Plan, one generated Python function, and that is called."""
