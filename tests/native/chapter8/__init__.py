"""Operators in the form of chapter 8 of the guide, built and run."""
