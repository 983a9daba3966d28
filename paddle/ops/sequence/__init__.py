"""Operators of sequences: recurrent layers, alignment, labelling."""
