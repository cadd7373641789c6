"""One module per group of rows."""
