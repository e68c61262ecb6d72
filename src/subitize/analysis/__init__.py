"""From the store to tidy frames, and from these to figures."""
