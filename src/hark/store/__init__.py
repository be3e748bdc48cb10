"""Durable state: one contract, several implementations, one test suite over all of them."""
