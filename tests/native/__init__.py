"""Compiled operators."""
