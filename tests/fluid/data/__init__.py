"""Feeding and datasets of files."""
