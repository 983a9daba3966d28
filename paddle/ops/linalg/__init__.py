"""Operators of linear algebra."""
