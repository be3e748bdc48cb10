"""These commands connect agents to hark and look for what is wrong."""
