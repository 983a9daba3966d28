"""Tests of the board's server."""
