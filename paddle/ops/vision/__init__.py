"""Operators on images."""
