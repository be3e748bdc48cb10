"""A demo agent, a scripted human, and a show of both: what `make demo` and the tests drive. Needs no key and no network."""
