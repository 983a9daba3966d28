"""Package incubate.fleet.base of 1.x; each name comes from its module."""
