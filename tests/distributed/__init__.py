"""Tests of what trains in several processes."""
