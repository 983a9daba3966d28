"""Client libraries from the registry, run as they are."""
