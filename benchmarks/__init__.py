"""Each claim of speed, side by side with what a user would use instead, both measured in one run."""
