"""Tests of datasets of files."""
