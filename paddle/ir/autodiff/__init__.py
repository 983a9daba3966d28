"""Differentiation of Programs: gradient operators, blocks and makers."""
