"""Recording: an operator call becomes an Operator of the current block, with shapes and dtypes."""
