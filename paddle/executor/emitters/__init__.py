"""Emitters: operators that the generated function runs without a kernel."""
