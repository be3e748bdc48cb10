"""Which sessions there are: they are started, adopted, found by name, watched, and marked as gone."""
