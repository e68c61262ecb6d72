"""Reports for people: HTML pages, figures, and tables at the terminal."""
