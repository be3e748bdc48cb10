"""The native channel: agents that can be reached by an API of their own, with no key and no look at the screen."""
