"""The room for saved models: Programs, tensors and pickles as bytes, and the layouts of files."""
