"""The call of a converted function: its signature, cache and Program."""
