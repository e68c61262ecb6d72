"""Statistics, numbers in and numbers out; each is tested against an independent implementation."""
