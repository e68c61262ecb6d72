"""Files that other evaluation programs leave, read into one shape."""
