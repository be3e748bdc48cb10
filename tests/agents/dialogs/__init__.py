"""python -m tests.agents.dialogs: permission dialogs that open at any moment of a delivery, and nobody but the human answers."""
