"""Who may call the API: the guards of its doors, and the rights of agents."""
