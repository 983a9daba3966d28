"""Meta-optimizers of fleet: their operators, and their numbers over two processes."""
