"""What can be logged: one file a component, to a record and from it."""
