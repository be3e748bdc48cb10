"""PURE: whether a message may be delivered now, how a message is put into words, what a screen shows, and how a delivery runs.

The code here has no I/O, no asyncio, no clock and no randomness: a delivery is a generator that yields steps and receives
observations."""
