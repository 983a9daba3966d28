"""Saved models: written from Layers, read as Layers."""
