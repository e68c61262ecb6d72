"""Makes `python -m subitize` the same as the command."""

from subitize.cli import main

if __name__ == "__main__":
    main()
