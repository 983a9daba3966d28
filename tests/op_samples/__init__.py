"""The one table of operator samples: every operator has at least one entry here, by family."""
