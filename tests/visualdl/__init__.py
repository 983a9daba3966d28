"""Tests of `visualdl`."""
