"""Lets `python -m subitize` do what the command does."""

from subitize.cli import main

if __name__ == "__main__":
    main()
