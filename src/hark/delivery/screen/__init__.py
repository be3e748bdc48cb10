"""What a pane shows: cells, the agent's input box in them, and what changed between two captures. PURE."""
