"""1.x dygraph against 1.8.5."""
