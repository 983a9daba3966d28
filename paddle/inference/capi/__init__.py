"""The C and C++ interface of inference: its sources, what builds them, and what they call."""
