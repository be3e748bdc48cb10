"""`make bench`: what things cost, side by side with what they replace. Prints; asserts nothing."""
