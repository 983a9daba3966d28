"""Samples of the operators of one folder of ``paddle/ops``."""
