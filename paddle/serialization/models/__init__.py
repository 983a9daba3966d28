"""Saved models: the layouts in which 1.x and 2.x leave them."""
