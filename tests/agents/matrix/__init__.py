"""The matrix: every kind of draft, in every situation, on every real agent; each cell ends in a verdict."""
