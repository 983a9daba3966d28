"""Package incubate.fleet.parameter_server of 1.x; each name comes from its module."""
