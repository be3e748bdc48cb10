"""How a message gets into an agent's input box, and how the human's draft comes back. Each carrier is a generator of steps. PURE."""
