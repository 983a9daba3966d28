"""Package incubate.fleet of 1.x; each name comes from its module."""
