"""What agents ask their humans: which questions are open, how they end, and how an answer reaches an agent."""
