"""What a pane shows: its cells, the agent's input box in these cells, and what changed between two captures. PURE."""
