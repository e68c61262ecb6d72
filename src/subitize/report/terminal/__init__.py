"""What people read at a terminal."""
