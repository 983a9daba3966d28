"""The lite runtime, and what writes its files."""
