"""Tests of paddle.Model and its callbacks."""
