"""Pickles of arrays and plain data, in PaddlePaddle's form."""
