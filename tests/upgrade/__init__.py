"""Tests of the upgrade tool."""
