"""Transpilers of 1.x: Programs of one process become those of trainers and servers."""
