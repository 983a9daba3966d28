"""From a function to its converted form."""
