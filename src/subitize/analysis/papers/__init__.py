"""The measures and tables of the published systems, one module per paper."""
