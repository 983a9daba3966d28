"""Training in several processes; as yet only the wrapper that serves one of them."""
