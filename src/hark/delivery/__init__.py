"""PURE: whether a message may be delivered now, how its words are put, what a screen shows, and how a delivery goes.

No I/O, no asyncio, no clock, no randomness: a delivery is a generator that yields steps and receives observations."""
