"""Logs, errors and reports of conversion."""
