"""The bodies of the hops, by what they store: each function does what one method of the contract does inside its transaction."""
