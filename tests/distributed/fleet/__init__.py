"""Tests of paddle.distributed.fleet."""
