"""The test suite; its tree mirrors paddle/."""
