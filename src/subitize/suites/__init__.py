"""The suites, one module each."""
