"""Tests of operators, over their samples."""
