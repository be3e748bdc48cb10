"""A demo agent, a scripted human, and a show of both, which `make demo` and the tests run. They need no key and no network."""
