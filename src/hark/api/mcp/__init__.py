"""The tools of hark for agents that speak the Model Context Protocol, at /mcp."""
