"""What things cost at another commit and now, measured on the same machine in turns by the same program."""
