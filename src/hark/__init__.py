"""hark delivers messages to AI coding agents that live in terminals, and hears what they signal back."""

__version__ = "0.1.0"
