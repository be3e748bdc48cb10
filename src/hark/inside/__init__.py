"""Programs that run inside terminals: the airlock, and what agents start (hook, editor, MCP pipe). They use the standard library only."""
