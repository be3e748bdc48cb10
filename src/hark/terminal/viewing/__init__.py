"""Live terminals: what a pane shows at one instant, and everything that it prints from that instant on."""
