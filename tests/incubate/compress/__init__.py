"""Tests of paddle.incubate.compress."""
