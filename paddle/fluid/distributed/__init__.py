"""Package distributed of 1.x; each name comes from its module."""
