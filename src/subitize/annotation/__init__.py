"""People as judges: a page that shows pictures, asks about them and keeps the answers as readings of the run."""
