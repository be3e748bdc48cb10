"""What hark knows about each agent: one data file per kind, and decoders of what its hooks report."""
