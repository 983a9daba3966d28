"""Programs as text: printed, as Python source, as a graph."""
