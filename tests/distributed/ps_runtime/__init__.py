"""Tests of training with parameter servers: Programs, modes, saving, transpiled Programs."""
