"""What people look at: tables and bars in the terminal."""
