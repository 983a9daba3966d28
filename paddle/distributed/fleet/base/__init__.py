"""Package fleet.base of 2.0; each name comes from its module."""
