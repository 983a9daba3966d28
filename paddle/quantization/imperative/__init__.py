"""Quantisation of Layers: training with it, and calibrating what is trained."""
